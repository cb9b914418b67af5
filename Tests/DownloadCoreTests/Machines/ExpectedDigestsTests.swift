import Testing

@testable import DownloadCore

@Suite struct `Digests that a content must have` {
  private func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> ContentDigest {
    ContentDigest(algorithm, [UInt8](repeating: byte, count: algorithm.byteCount))!
  }

  private func head(_ digests: ContentDigest..., status: Int = 200, md5: ContentDigest? = nil) -> ResponseHead {
    var head = ResponseHead(status: status)
    head.representationDigests = digests
    head.contentMD5 = md5
    return head
  }

  @Test func `the first claims judge, later ones are no judges and take none away`() {
    var judges = ExpectedDigests(given: [])
    #expect(!judges.areKnown && judges.all.isEmpty)
    judges.contentCame(from: head(digest(1)))
    judges.contentCame(from: head())
    judges.contentCame(from: head(digest(2, .sha512)))
    #expect(judges.all == [ExpectedDigest(digest(1), .server)])
    judges.contentDiscarded()
    #expect(judges.all.isEmpty)
  }

  @Test func `what the user says judges alone, beside what an earlier run was told`() {
    var judges = ExpectedDigests(
      given: [digest(1)],
      inherited: [ExpectedDigest(digest(2), .server), ExpectedDigest(digest(3, .md5), .given)])
    judges.contentCame(from: head(digest(4, .sha512)))
    #expect(judges.all == [ExpectedDigest(digest(1), .given), ExpectedDigest(digest(3, .md5), .given)])
    judges.contentDiscarded()
    #expect(judges.all == [ExpectedDigest(digest(1), .given)])
  }

  @Test func `a claim of one algorithm that differs is a contradiction`() {
    let inherited = ExpectedDigests(given: [], inherited: [ExpectedDigest(digest(1), .given)])
    #expect(inherited.contradict(head(digest(2))))
    #expect(!inherited.contradict(head(digest(1))))
    #expect(!inherited.contradict(head(digest(2, .sha512))))
    #expect(!ExpectedDigests(given: [digest(1)]).contradict(head(digest(2))), "the content itself is compared")
  }

  @Test func `a head that contradicts itself claims nothing`() {
    var judges = ExpectedDigests(given: [])
    judges.contentCame(from: head(digest(1), digest(2), digest(3, .sha512)))
    #expect(judges.all == [ExpectedDigest(digest(3, .sha512), .server)])
  }

  @Test func `Content-MD5 speaks of a 200 only`() {
    let md5 = digest(1, .md5)
    #expect(ExpectedDigests.areClaimed(by: head(md5: md5)))
    #expect(!ExpectedDigests.areClaimed(by: head(status: 206, md5: md5)))
  }

  @Test func `a second fetch judges where nobody else does`() {
    var judges = ExpectedDigests(given: [])
    judges.confirmed(by: digest(1))
    #expect(judges.all == [ExpectedDigest(digest(1), .confirmation)])
    #expect(!judges.areKnown)
    judges.contentCame(from: head(digest(2)))
    #expect(judges.all == [ExpectedDigest(digest(2), .server)])
  }
}
