import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Resume policy` {
  private let hash = "0011223344556677"
  private let done = ByteRangeSet([0..<500])
  private let sha256 = ContentDigest(.sha256, repeating: 1)
  private let otherSHA256 = ContentDigest(.sha256, repeating: 2)
  private let md5 = ContentDigest(.md5, repeating: 3)

  private func record(_ configure: (inout SidecarRecord) -> Void = { _ in }) -> SidecarRecord {
    var record = SidecarRecord(target: [65], url: "http://h/f", urlHash: hash, bootID: "boot")
    record.completeLength = 1000
    record.mirrors = [SidecarRecord.MirrorState(url: "http://h/f", urlHash: hash, strongTag: Array("tag".utf8))]
    record.written = done
    record.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 0)]
    configure(&record)
    return record
  }

  private func decision(
    _ record: SidecarRecord, done: ByteRangeSet? = nil, digests: [ContentDigest] = [], urlHash: String? = nil,
    trustsLength: Bool = false
  ) -> ResumePolicy.Decision {
    ResumePolicy.decision(
      record: record, done: done ?? self.done, digests: digests, urlHashes: [urlHash ?? hash],
      trustsLength: trustsLength)
  }

  private func startsOver(_ decision: ResumePolicy.Decision, _ reason: StartOverReason) -> Bool {
    decision == .startOver(reason)
  }

  private func resumed(_ decision: ResumePolicy.Decision) -> Representation? {
    if case .resume(let representation, _, _, _) = decision { representation } else { nil }
  }

  @Test func `a record without valid bytes starts over`() {
    #expect(startsOver(decision(record(), done: ByteRangeSet()), .nothingRecorded))
  }

  @Test func `resuming needs a validator, a digest or --trust-length`() {
    let bare = record { $0.mirrors[0].strongTag = nil }
    let weak = record {
      $0.mirrors[0].strongTag = nil
      $0.mirrors[0].lastModified = 1000
    }
    for record in [bare, weak] {
      #expect(startsOver(decision(record), .noVersion))
      #expect(resumed(decision(record, digests: [sha256])) != nil, "the digest will judge")
      #expect(resumed(decision(record, trustsLength: true)) != nil)
    }
    let dated = record {
      $0.mirrors[0].strongTag = nil
      $0.mirrors[0].lastModified = 1000
      $0.mirrors[0].lastModifiedIsStrong = true
    }
    let known = resumed(decision(dated))
    #expect(known?.validators == Validators(lastModified: 1000, lastModifiedIsStrong: true))
    #expect(known?.completeLength == 1000)
  }

  @Test func `the recorded version is resumed`() {
    let known = resumed(decision(record()))
    #expect(known?.validators.entityTag?.opaque == Array("tag".utf8) && known?.completeLength == 1000)
  }

  @Test func `a record of another content starts over`() {
    let recorded = record { $0.digests = [sha256, md5] }
    #expect(resumed(decision(recorded, digests: [sha256])) != nil)
    #expect(startsOver(decision(recorded, digests: [otherSHA256]), .otherDigest))
    // One that agrees does not outweigh one that does not.
    #expect(startsOver(decision(recorded, digests: [md5, otherSHA256]), .otherDigest))
    // Of another algorithm it says nothing.
    let sha1 = ContentDigest(.sha1, [UInt8](repeating: 3, count: 20))!
    #expect(resumed(decision(recorded, digests: [sha1])) != nil)
  }

  @Test func `a record of another URL needs an equal digest, or an entity tag and a length`() {
    let other = "ffeeddccbbaa9988"
    let tagged = record {
      $0.mirrors[0].lastModified = 1000
      $0.mirrors[0].lastModifiedIsStrong = true
    }
    let known = resumed(decision(tagged, urlHash: other))
    #expect(known?.validators.entityTag != nil && known?.completeLength == 1000)
    #expect(known?.validators.lastModified == nil, "the time of another URL's file says nothing")
    #expect(startsOver(decision(record { $0.completeLength = nil }, urlHash: other), .otherURL))
    let dated = record {
      $0.mirrors[0].strongTag = nil
      $0.mirrors[0].lastModified = 1000
      $0.mirrors[0].lastModifiedIsStrong = true
    }
    #expect(startsOver(decision(dated, urlHash: other), .otherURL))
    #expect(startsOver(decision(dated, urlHash: other, trustsLength: true), .otherURL))
    #expect(startsOver(decision(dated, digests: [sha256], urlHash: other), .otherURL))
    let sameContent = record {
      $0.mirrors[0].strongTag = nil
      $0.digests = [sha256]
    }
    #expect(resumed(decision(sameContent, digests: [sha256], urlHash: other)) != nil)
  }

  /// The request does not have mirrors that only an answer named. A digest has let them supply bytes.
  @Test func `a mirror of the request is used where a digest judges the bytes`() {
    let mixed = record {
      $0.mirrors.append(SidecarRecord.MirrorState(url: "http://m/f", urlHash: "8899", strongTag: Array("other".utf8)))
      $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 1)]
    }
    var claimed = mixed
    claimed.claimedDigests = [sha256]
    for decision in [decision(mixed, digests: [sha256]), decision(claimed)] {
      #expect(resumed(decision)?.validators.entityTag?.opaque == Array("tag".utf8))
    }
    #expect(resumed(decision(mixed))?.validators.entityTag?.opaque == Array("other".utf8))
  }

  @Test func `the mirror that the bytes came from is used`() {
    let other = "1111111111111111"
    let second = SidecarRecord.MirrorState(url: "http://m/f", urlHash: other, strongTag: Array("second".utf8))
    let recorded = record {
      $0.mirrors.append(second)
      $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 1)]
    }
    // At its index in the new request.
    for (urls, index) in [([hash, other], 1), ([hash, "2222222222222222", other], 2), ([hash], 0)] {
      let decision = ResumePolicy.decision(
        record: recorded, done: done, digests: [], urlHashes: urls, trustsLength: false)
      guard case .resume(let known, index, _, _) = decision else {
        Issue.record("\(decision)")
        continue
      }
      #expect(known.validators.entityTag?.opaque == Array("second".utf8))
    }
  }

  @Test func `digests of the first run stay expected`() {
    let bare = record {
      $0.mirrors[0].strongTag = nil
      $0.claimedDigests = [sha256]
    }
    guard case .resume(_, _, let expectedDigests, _) = decision(bare) else {
      Issue.record("a claimed digest is sufficient")
      return
    }
    #expect(expectedDigests == [ExpectedDigest(sha256, .server)])
    let given = record { $0.digests = [md5] }
    guard case .resume(_, _, let others, _) = decision(given, digests: [sha256]) else {
      Issue.record("another algorithm contradicts nothing")
      return
    }
    #expect(others == [ExpectedDigest(md5, .given)])
    #expect(startsOver(decision(bare, digests: [otherSHA256]), .otherDigest))
  }

  @Test func `a record keeps expected digests with their sources, the coding and the reliability of tags`() {
    let expectedDigests = [ExpectedDigest(sha256, .given), ExpectedDigest(md5, .server)]
    let knowledge = VersionKnowledge(
      completeLength: 7, contentCoding: "br", validators: [nil], expectedDigests: expectedDigests, isETagReliable: false
    )
    let location = Location(scheme: .https, host: "h", port: 443, path: "/f", query: nil)
    let record = SidecarRecord(target: [65], mirrors: [location], bootID: "boot", knowledge: knowledge)
    #expect(record.expectedDigests == expectedDigests)
    #expect(record.contentCoding == "br" && record.completeLength == 7 && record.flags == [.unreliableTags])
  }

  @Test func `bytes of several mirrors are resumed only with equal entity tags or a digest`() {
    func record(_ tags: [String?]) -> SidecarRecord {
      self.record { record in
        record.mirrors = tags.enumerated().map { index, tag in
          SidecarRecord.MirrorState(
            url: "http://h\(index)/f", urlHash: index == 0 ? hash : "8899aabbccddee0\(index)",
            strongTag: tag.map { Array($0.utf8) }, lastModified: 1000, lastModifiedIsStrong: true)
        }
        record.sources = tags.indices.map { SidecarRecord.SourcedRange(Int64($0)..<Int64($0 + 1), mirror: $0) }
      }
    }
    #expect(resumed(decision(record(["v", "v"]))) != nil)
    for tags in [["v", "w"], ["v", nil], [nil, nil]] {
      #expect(startsOver(decision(record(tags)), .severalMirrors), "\(tags)")
      #expect(resumed(decision(record(tags), digests: [sha256])) != nil, "\(tags)")
      let isTrusted = resumed(decision(record(tags), trustsLength: true)) != nil
      #expect(isTrusted == (tags[1] != "w"), "\(tags)")
    }
    var sole = record(["v", "w"])
    sole.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 0)]
    #expect(resumed(decision(sole)) != nil)
  }

  @Test func `coded bytes are not resumed`() {
    #expect(startsOver(decision(record { $0.contentCoding = "gzip" }, digests: [sha256]), .coded("gzip")))
  }

  @Test func `unreliable entity tags stay unreliable`() {
    let tagged = record { $0.flags = [.unreliableTags] }
    #expect(startsOver(decision(tagged), .noVersion))
    let dated = record {
      $0.flags = [.unreliableTags]
      $0.mirrors[0].lastModified = 1000
      $0.mirrors[0].lastModifiedIsStrong = true
    }
    guard case .resume(_, _, _, false) = decision(dated) else {
      Issue.record("\(decision(dated))")
      return
    }
    #expect(startsOver(decision(dated, urlHash: "8899aabbccddeeff"), .otherURL))
  }

  @Test func `a contradictory record starts over`() {
    #expect(startsOver(decision(record { $0.mirrors = [] }), .noSource))
    let beyond = record { $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 9)] }
    guard case .resume(_, mirror: 0, _, _) = decision(beyond) else {
      Issue.record("\(decision(beyond))")
      return
    }
    // A tag that could not have come from a header is none.
    #expect(startsOver(decision(record { $0.mirrors[0].strongTag = Array("a\"b".utf8) }), .noVersion))
    #expect(startsOver(decision(record { $0.mirrors[0].strongTag = [] }), .noVersion))
  }
}
