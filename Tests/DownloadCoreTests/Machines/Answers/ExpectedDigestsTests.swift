import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Expected digests` {
  private func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> ContentDigest {
    ContentDigest(algorithm, repeating: byte)
  }

  private func claiming(_ digests: ContentDigest...) -> Answer {
    var answer = Answer(
      .whole, status: 200, representation: Representation(completeLength: nil, validators: Validators()))
    answer.claims = digests
    return answer
  }

  @Test func `the first claims are expected, later ones neither add nor remove any`() {
    var expected = ExpectedDigests(given: [])
    #expect(!expected.areKnown && expected.all.isEmpty)
    expected.contentCame(from: claiming(digest(1)))
    expected.contentCame(from: claiming())
    expected.contentCame(from: claiming(digest(2, .sha512)))
    #expect(expected.all == [ExpectedDigest(digest(1), .server)])
    expected.contentDiscarded()
    #expect(expected.all.isEmpty)
  }

  @Test func `given digests and those of an earlier run are expected, claims are not`() {
    var expected = ExpectedDigests(
      given: [digest(1)],
      inherited: [ExpectedDigest(digest(2), .server), ExpectedDigest(digest(3, .md5), .given)])
    expected.contentCame(from: claiming(digest(4, .sha512)))
    #expect(expected.all == [ExpectedDigest(digest(1), .given), ExpectedDigest(digest(3, .md5), .given)])
    expected.contentDiscarded()
    #expect(expected.all == [ExpectedDigest(digest(1), .given)])
  }

  @Test func `a claim of one algorithm that differs is a contradiction`() {
    let inherited = ExpectedDigests(given: [], inherited: [ExpectedDigest(digest(1), .given)])
    #expect(inherited.contradict(claiming(digest(2))))
    #expect(!inherited.contradict(claiming(digest(1))))
    #expect(!inherited.contradict(claiming(digest(2, .sha512))))
    #expect(
      !ExpectedDigests(given: [digest(1)]).contradict(claiming(digest(2))),
      "given digests are compared with the content")
  }

  @Test func `the digest of a second fetch is expected if no other is known`() {
    var expected = ExpectedDigests(given: [])
    expected.confirmed(by: digest(1))
    #expect(expected.all == [ExpectedDigest(digest(1), .confirmation)])
    #expect(!expected.areKnown)
    expected.contentCame(from: claiming(digest(2)))
    #expect(expected.all == [ExpectedDigest(digest(2), .server)])
  }
}
