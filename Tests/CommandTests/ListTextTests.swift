import DownloadCore
import TestSupport
import Testing

@testable import DownloadLists
@testable import DownloadWords

@Suite struct `The text of a list` {
  private let directory: TemporaryDirectory
  /// Several blocks.
  private static let text = (0..<60_000).map { "\($0) line\n" }.joined()

  init() throws { directory = try TemporaryDirectory() }

  private func text(_ bytes: [UInt8]) throws -> ListText {
    try directory.write("list", bytes)
    return try ListText(ListFile(path: Array(directory.path("list").utf8), notedIn: DecidingInputs()))
  }

  private func all(_ text: ListText) throws -> String {
    text.rewind()
    var bytes: [UInt8] = []
    while let block = try text.nextBlock() { bytes += block }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `that is not compressed is that of the file`() throws {
    let text = try text(Array(Self.text.utf8))
    #expect(text.compression == nil)
    for _ in 0..<2 { #expect(try all(text) == Self.text) }
  }

  @Test(arguments: Compressor.allCases)
  func `is decompressed in every reading`(compressor: Compressor) throws {
    let text = try text(compressor.compressed(Self.text))
    #expect(text.compression?.rawValue == compressor.rawValue)
    #expect(try text.beginning(byteCount: 7) == Array("0 line\n".utf8))
    for _ in 0..<3 { #expect(try all(text) == Self.text) }
  }

  @Test(arguments: Compressor.allCases, [0, 1, 2])
  func `may end with a block`(compressor: Compressor, count: Int) throws {
    let content = String(Self.text.prefix(count << 18))
    let text = try text(compressor.compressed(content))
    for _ in 0..<2 { #expect(try all(text) == content) }
  }

  @Test(arguments: Compressor.allCases)
  func `of a changed file is not returned`(compressor: Compressor) throws {
    let text = try text(compressor.compressed("one\n"))
    _ = try all(text)
    try directory.write("list", compressor.compressed("two\n"))
    let error = #expect(throws: Failure.self) { try all(text) }
    #expect(error?.code == .localIO && error?.message.contains("changed while swiftget was running") == true)
  }

  @Test(arguments: Compressor.allCases)
  func `of damaged data is an error that names the file`(compressor: Compressor) throws {
    let bytes = compressor.compressed(Self.text)
    let text = try text(Array(bytes.dropLast(5)))
    let error = #expect(throws: Failure.self) { try all(text) }
    #expect(error?.code == .usage && error?.message.contains("/list: the \(compressor) data ends too early") == true)
  }

  /// 1 GiB in about 1 MiB.
  @Test func `is given in blocks, however long it is`() throws {
    let part = Compressor.gzip.compressed([UInt8](repeating: 0x0a, count: 16 << 20))
    let text = try text((0..<64).flatMap { _ in part })
    var count = 0
    while let block = try text.nextBlock() {
      #expect(block.count <= 256 << 10)
      count += block.count
    }
    #expect(count == 1 << 30)
  }
}
