import DownloadCore
import TestSupport
import Testing

@testable import DownloadLists
@testable import DownloadWords

@Suite struct `A list's bytes` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ text: String) throws -> ListFile {
    try directory.write("list", text)
    return try ListFile(path: Array(directory.path("list").utf8), notedIn: DecidingInputs())
  }

  private func all(_ file: ListFile) throws -> String {
    file.rewind()
    var bytes: [UInt8] = []
    while let block = try file.nextBlock() { bytes += block }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [0, 1, 1 << 14, 1 << 15, 50_000])
  func `are read unchanged and repeatedly`(count: Int) throws {
    let text = String(repeating: "0123456789abcde\n", count: count)
    let file = try file(text)
    #expect(try file.beginning(byteCount: 3) == Array(text.utf8.prefix(3)))
    for _ in 0..<3 { #expect(try all(file) == text) }
  }

  /// Lines of 16 bytes, so that a block of 256 KiB ends with a line.
  @Test(arguments: [1, 16384, 16385, 50_000], ["cut", "grown", "other", "emptied"])
  func `of a changed list are not returned`(count: Int, change: String) throws {
    let text = String(repeating: "0123456789abcde\n", count: count)
    let file = try file(text)
    _ = try all(file)
    let changed =
      switch change {
      case "cut": String(text.dropLast(16))
      case "grown": text + "0123456789abcde\n"
      case "other": String(text.dropLast(5)) + "x" + text.suffix(4)
      default: ""
      }
    try directory.write("list", changed)
    let error = #expect(throws: Failure.self) { try all(file) }
    #expect(error?.code == .localIO && error?.message.contains("changed while swiftget was running") == true)
    try directory.write("list", text)
    #expect(try all(file) == text)
  }

  @Test func `belong to the list whose format was detected`() throws {
    let file = try file("https://h/a\n")
    _ = try file.beginning(byteCount: 100)
    try directory.write("list", "https://h/b\n")
    #expect(throws: Failure.self) { try all(file) }
  }
}
