import DownloadCore
import TestSupport
import Testing

@testable import Console

@Suite struct `A list's lines` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func reader(_ text: String) throws -> LineReader {
    try directory.write("list", text)
    return try LineReader(path: Array(directory.path("list").utf8))
  }

  private func all(_ reader: LineReader) throws -> [String] {
    reader.rewind()
    var lines: [String] = []
    while let line = try reader.next({ (line) throws(DownloadError) in String(decoding: line, as: UTF8.self) }) {
      lines.append(line)
    }
    return lines
  }

  @Test(arguments: ["", "\n", "a", "a\n", "a\n\nb\r\nc", String(repeating: "0123456789abcde\n", count: 1 << 15)])
  func `are read unchanged and repeatedly`(text: String) throws {
    let reader = try reader(text)
    var lines = text.split(separator: Character("\n"), omittingEmptySubsequences: false).map(String.init)
    if text.utf8.contains(13) { lines = ["a", "", "b\r", "c"] }
    if lines.last == "" { lines.removeLast() }
    #expect(try reader.beginning(byteCount: 3) == Array(text.utf8.prefix(3)))
    for _ in 0..<3 { #expect(try all(reader) == lines) }
  }

  /// Lines of 16 bytes, so that a block of 256 KiB ends with a line.
  @Test(arguments: [1, 16384, 16385, 50_000], ["cut", "grown", "other", "emptied"])
  func `of a changed list are not returned`(count: Int, change: String) throws {
    let text = String(repeating: "0123456789abcde\n", count: count)
    let reader = try reader(text)
    _ = try all(reader)
    let changed =
      switch change {
      case "cut": String(text.dropLast(16))
      case "grown": text + "0123456789abcde\n"
      case "other": String(text.dropLast(5)) + "x" + text.suffix(4)
      default: ""
      }
    try directory.write("list", changed)
    let error = #expect(throws: DownloadError.self) { try all(reader) }
    #expect(error?.code == .localIO && error?.message.contains("has changed") == true)
    try directory.write("list", text)
    #expect(try all(reader).count == count)
  }

  @Test func `belong to the list whose format was detected`() throws {
    let reader = try reader("https://h/a\n")
    _ = try reader.beginning(byteCount: 100)
    try directory.write("list", "https://h/b\n")
    #expect(throws: DownloadError.self) { try all(reader) }
  }
}
