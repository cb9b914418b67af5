import TestSupport
import Testing

@testable import DownloadScratch

@Suite struct `Numbered texts` {
  private let directory: TemporaryDirectory
  private var path: [UInt8] { Array(directory.path("file").utf8) }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `make a file in the order of their numbers`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let texts = try NumberedTexts(beside: path)
    let numbers = Array(0..<(seed == 0 ? 10_000 : 300)).filter { _ in Bool.random(using: &generator) }
    func text(_ number: Int) -> [UInt8] { Array(repeating: UInt8(97 + number % 26), count: number * 7 % 3000) }
    for number in numbers.shuffled(using: &generator) { texts.add(text(number), number: number) }
    for number in 0..<310 { #expect(try texts.text(number) == (numbers.contains(number) ? text(number) : nil)) }
    try directory.write("file", "old")
    try texts.replaceFile(syncs: false) { $1 + [UInt8($0 % 256)] }
    #expect(try directory.read("file") == numbers.flatMap { text($0) + [UInt8($0 % 256)] })
    #expect(directory.names() == ["file"])
  }

  @Test func `make an empty file where there are none`() throws {
    try NumberedTexts(beside: path).replaceFile(syncs: true)
    #expect(try directory.read("file").isEmpty)
  }

  @Test func `make no file without the place of a text`() throws {
    let texts = try NumberedTexts(beside: path)
    texts.add([1], number: 0)
    // Beyond the end of any file.
    texts.add([2], number: (1 << 59) - 1)
    #expect(throws: FileFailure.self) { try texts.text(0) }
    #expect(throws: FileFailure.self) { try texts.replaceFile(syncs: false) }
    #expect(directory.names().isEmpty)
  }
}
