import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadMetalink

/// No document traps, and every entry satisfies the rules of `ListEntry`.
@Suite struct `Metalinks with random bytes` {
  private static let samples = [MetalinkSamples.minimal, MetalinkSamples.extensive, MetalinkSamples.version3].map {
    Array($0.utf8)
  }
  private static let alphabet = Array("<>/\"'=&;![]-? \n:0129afx\0\u{80}".utf8)
  private static let words = [
    "<file name=\"x\">", "</file>", "<size>", "</size>", "<url>", "</url>", "<hash type='md5'>", "</hash>", "<files>",
    "<pieces length='1' type='sha-1'>", "</pieces>", "<resources>", "<metalink/>", "<!--", "-->", "<![CDATA[", "]]>",
    "<!DOCTYPE x>", "<!DOCTYPE x [<!ENTITY a 'b'>]>", "&a;", "&#0;", "&#10;", "&lt;", "xmlns='y'", "<a:b xmlns:a='c'>",
    "9223372036854775808",
  ].map { Array($0.utf8) }

  @Test func `entries are valid`() {
    var errorCount = 0
    let isFruitful = Fuzz.run { generator, seed in
      var bytes = Self.samples.randomElement(using: &generator)!
      if Bool.random(using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        bytes.insert(contentsOf: Self.words.randomElement(using: &generator)!, at: place)
      } else {
        bytes = generator.mutate(bytes, alphabet: Self.alphabet)
      }
      var preferences = MetalinkPreferences()
      if Bool.random(using: &generator) {
        preferences.languages = ["en"]
        preferences.locations = ["de"]
      }
      let list = ReadMetalink(bytes: bytes, preferences)
      let partSize = Int.random(in: 1...400, using: &generator)
      #expect(ReadMetalink(bytes: bytes, preferences, partSize: partSize) == list, "seed \(seed)")
      // CR alone ends a line, too (XML 1.0 section 2.11).
      let lineCount = bytes.count { $0 == 0x0a || $0 == 0x0d } + 1
      for entry in list.entries {
        #expect((1...lineCount).contains(entry.lineNumber), "seed \(seed)")
        #expect(!entry.urls.isEmpty && entry.name == nil && entry.out?.isEmpty == false, "seed \(seed)")
        #expect(Set(entry.urls).count == entry.urls.count, "seed \(seed)")
        #expect(entry.urls.allSatisfy { $0.contains("://".utf8) && !$0.contains(0x23) }, "seed \(seed)")
        #expect(!entry.urls.contains { $0.contains(where: \.isControl) }, "seed \(seed)")
        #expect(Set(entry.digests.map(\.algorithm)).count == entry.digests.count, "seed \(seed)")
        #expect(entry.size.map { $0 >= 0 } ?? true, "seed \(seed)")
        if let size = entry.size, let pieces = entry.pieces { #expect(pieces.cover(size), "seed \(seed)") }
      }
      for error in list.errors { #expect((1...lineCount).contains(error.lineNumber), "seed \(seed)") }
      errorCount += list.errors.count
      return !list.entries.isEmpty
    }
    #expect(isFruitful && errorCount > 0)
  }
}
