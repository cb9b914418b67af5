import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Integrity failures` {
  private func content(_ byte: UInt8, of source: Int? = nil) -> IntegrityFailures.Content {
    IntegrityFailures.Content(digest: ContentDigest(.sha256, repeating: byte), source: source)
  }

  /// Whether a new fetch may help, after each failure.
  private func answers(_ failures: (byte: UInt8, isExplained: Bool)...) -> [Bool] {
    var known = IntegrityFailures()
    return failures.map { known.add(content($0.byte), isExplained: $0.isExplained) }
  }

  @Test func `other content each time is fetched three times`() {
    #expect(answers((1, false), (2, false), (1, false)) == [true, true, false])
  }

  @Test func `the same content is fetched twice`() {
    #expect(answers((1, false), (1, false)) == [true, false])
  }

  @Test func `content is repeated only by one mirror, and at once`() {
    var known = IntegrityFailures()
    #expect(!known.isRepeated(content(1, of: 0)))
    for (next, isRepeated) in [
      (content(1, of: 0), false), (content(1, of: 0), true), (content(1, of: 1), false), (content(2, of: 1), false),
      (content(1), false), (content(1), false),
    ] {
      #expect(known.isRepeated(next) == isRepeated)
      _ = known.add(next, isExplained: true)
    }
  }

  @Test func `each mirror with wrong content is left, and the last one decides`() {
    #expect(answers((1, true), (1, true), (1, true), (1, true), (1, false)) == [true, true, true, true, false])
  }
}
