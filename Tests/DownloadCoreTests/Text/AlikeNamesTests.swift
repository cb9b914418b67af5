import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Alike names` {
  private func hash(_ name: String) -> UInt64 { AlikeNames.hash(Array(name.utf8), continuing: 1) }

  @Test(arguments: [
    ["Read.bin", "read.BIN"], ["Sub/a", "sub/A"], ["\u{e9}.bin", "e\u{301}.bin", "E\u{301}.bin", "\u{c9}.BIN"],
    ["stra\u{df}e", "STRASSE"], ["\u{212a}", "k", "K"], ["a.", "a", "A. ."], ["\u{e9}. ", "\u{e9}"], ["a./b", "A/b "],
    ["\u{ac00}", "\u{1100}\u{1161}"], ["", "."],
  ])
  func `have equal hashes`(names: [String]) { #expect(Set(names.map(hash)).count == 1) }

  @Test(arguments: [
    ["a", "b"], ["a.b", "ab"], ["a b", "ab"], ["a/b", "ab", "a/", "/ab"], ["\u{e9}", "e"], [".a", "a"],
    ["a..b", "a.b"],
    ["\u{e9}/a", "\u{e9}a"],
  ])
  func `are told from others`(names: [String]) { #expect(Set(names.map(hash)).count == names.count) }

  @Test func `are found whatever the bytes`() {
    _ = Fuzz.run { generator, seed in
      let name = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        Array("aA.- /\u{e9}\u{301}".utf8).randomElement(using: &generator)!
      }
      let swapped = AlikeNames.swappingCase(name) ?? name
      #expect(
        AlikeNames.hash(name, continuing: 7) == AlikeNames.hash(swapped, continuing: 7), "seed \(seed): \(name)")
      return true
    }
  }

  @Test func `of the other case have other letters only`() {
    #expect(AlikeNames.swappingCase(Array("Read-1.bin".utf8)) == Array("rEAD-1.BIN".utf8))
    #expect(AlikeNames.swappingCase(Array("1-\u{e9}".utf8)) == nil)
  }
}
