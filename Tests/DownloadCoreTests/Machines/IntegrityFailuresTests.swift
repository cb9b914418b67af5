import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Integrity failures` {
  private func digest(_ byte: UInt8) -> ContentDigest { ContentDigest(.sha256, repeating: byte) }

  /// Whether a new fetch may help, after each failure.
  private func answers(_ failures: (byte: UInt8, isExplained: Bool)...) -> [Bool] {
    var known = IntegrityFailures()
    return failures.map { known.add(digest($0.byte), isExplained: $0.isExplained) }
  }

  @Test func `other content each time is fetched three times`() {
    #expect(answers((1, false), (2, false), (1, false)) == [true, true, false])
  }

  @Test func `the same content is fetched twice`() {
    #expect(answers((1, false), (1, false)) == [true, false])
  }

  @Test func `each mirror with wrong content is left, and the last one decides`() {
    #expect(answers((1, true), (1, true), (1, true), (1, true), (1, false)) == [true, true, true, true, false])
  }
}
