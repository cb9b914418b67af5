import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Resume policy` {
  private let location = Location(scheme: .http, host: "h", port: 80, path: "/f", query: nil)
  private let other = Location(scheme: .http, host: "other", port: 80, path: "/f", query: nil)
  private let done = ByteRangeSet([0..<500])
  private let sha256 = ContentDigest(.sha256, repeating: 1)
  private let otherSHA256 = ContentDigest(.sha256, repeating: 2)
  private let md5 = ContentDigest(.md5, repeating: 3)

  private func record(_ configure: (inout SidecarRecord) -> Void = { _ in }) -> SidecarRecord {
    var record = SidecarRecord(target: [65], url: location.withoutQuery, urlHash: location.hash, bootID: "boot")
    record.completeLength = 1000
    record.mirrors = [state(location, tag: "tag")]
    record.written = done
    record.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 0)]
    configure(&record)
    return record
  }

  private func state(_ location: Location, tag: String?, modified: Int64? = nil) -> SidecarRecord.MirrorState {
    SidecarRecord.MirrorState(
      url: location.withoutQuery, urlHash: location.hash, strongTag: tag.map { Array($0.utf8) }, lastModified: modified,
      lastModifiedIsStrong: modified != nil)
  }

  private func assess(
    _ record: SidecarRecord, done: ByteRangeSet? = nil, digests: [ContentDigest] = [], hasPieces: Bool = false,
    mirrors: [Location]? = nil, formerURL: Location? = nil, trustsLength: Bool = false
  ) -> ResumePolicy.Assessment {
    ResumePolicy.assess(
      record: record, done: done ?? self.done, digests: digests, hasPieces: hasPieces, mirrors: mirrors ?? [location],
      formerURL: formerURL, trustsLength: trustsLength)
  }

  private func startsOver(_ assessment: ResumePolicy.Assessment, _ reason: StartOverReason) -> Bool {
    assessment == .startOver(reason)
  }

  private func resumed(_ assessment: ResumePolicy.Assessment) -> Representation? {
    if case .resume(let representation, _, _, _, _) = assessment { representation } else { nil }
  }

  @Test func `a record without valid bytes starts over`() {
    #expect(startsOver(assess(record(), done: ByteRangeSet()), .nothingRecorded))
  }

  @Test func `resuming needs a validator, a digest or --trust-length`() {
    let bare = record { $0.mirrors[0].strongTag = nil }
    let weak = record {
      $0.mirrors[0].strongTag = nil
      $0.mirrors[0].lastModified = 1000
    }
    for record in [bare, weak] {
      #expect(startsOver(assess(record), .noVersion))
      #expect(resumed(assess(record, digests: [sha256])) != nil, "the digest will judge")
      #expect(resumed(assess(record, trustsLength: true)) != nil)
    }
    let dated = record {
      $0.mirrors[0].strongTag = nil
      $0.mirrors[0].lastModified = 1000
      $0.mirrors[0].lastModifiedIsStrong = true
    }
    let known = resumed(assess(dated))
    #expect(known?.validators == Validators(lastModified: 1000, lastModifiedIsStrong: true))
    #expect(known?.completeLength == 1000)
  }

  @Test func `the recorded version is resumed`() {
    let known = resumed(assess(record()))
    #expect(known?.validators.entityTag?.opaque == Array("tag".utf8) && known?.completeLength == 1000)
  }

  @Test func `a record of another content starts over`() {
    let recorded = record { $0.digests = [sha256, md5] }
    #expect(resumed(assess(recorded, digests: [sha256])) != nil)
    #expect(startsOver(assess(recorded, digests: [otherSHA256]), .otherDigest))
    // One that agrees does not outweigh one that does not.
    #expect(startsOver(assess(recorded, digests: [md5, otherSHA256]), .otherDigest))
    // Of another algorithm it says nothing.
    let sha1 = ContentDigest(.sha1, [UInt8](repeating: 3, count: 20))!
    #expect(resumed(assess(recorded, digests: [sha1])) != nil)
  }

  private func isOfOtherURL(_ assessment: ResumePolicy.Assessment) -> Bool? {
    if case .resume(_, _, _, _, let isOfOtherURL) = assessment { isOfOtherURL } else { nil }
  }

  /// Of the same length and time, other resources of a server often have the same tag.
  @Test func `a record of another URL starts over, whatever its validators`() {
    let tagged = record { $0.mirrors = [state(location, tag: "tag", modified: 1000)] }
    for trustsLength in [false, true] {
      #expect(startsOver(assess(tagged, mirrors: [other], trustsLength: trustsLength), .otherURL))
    }
    for path in ["/f/", "/g", "/F"] {
      let near = Location(origin: location.origin, path: path, query: nil)
      #expect(startsOver(assess(tagged, mirrors: [near]), .otherURL))
    }
    let encrypted = Location(scheme: .https, host: "h", port: 443, path: "/f", query: nil)
    #expect(startsOver(assess(tagged, mirrors: [encrypted]), .otherURL))
    // What the other URL's server or list said of its content does not judge this one's.
    let claimed = record { $0.claimedDigests = [sha256] }
    let given = record { $0.digests = [sha256] }
    for record in [claimed, given] { #expect(startsOver(assess(record, mirrors: [other]), .otherURL)) }
  }

  @Test func `a digest or pieces of the request judge bytes of another URL`() {
    let bare = record { $0.mirrors[0].strongTag = nil }
    for record in [bare, record()] {
      #expect(isOfOtherURL(assess(record, digests: [sha256], mirrors: [other])) == true)
      #expect(isOfOtherURL(assess(record, hasPieces: true, mirrors: [other])) == true)
    }
    let claimed = record { $0.claimedDigests = [md5] }
    guard case .resume(_, _, expectedDigests: [], _, true) = assess(claimed, digests: [sha256], mirrors: [other])
    else {
      Issue.record("the other server's claim is expected of this content")
      return
    }
    #expect(
      startsOver(assess(record { $0.digests = [otherSHA256] }, digests: [sha256], mirrors: [other]), .otherDigest))
  }

  @Test func `a URL that differs only in its query may go on with a strong tag and a length`() {
    let signed = [location, Location(origin: location.origin, path: "/f", query: "sig=1")]
    let next = Location(origin: location.origin, path: "/f", query: "sig=2")
    for old in signed {
      func left(_ configure: (inout SidecarRecord) -> Void = { _ in }) -> SidecarRecord {
        record {
          $0.urlHash = old.hash
          $0.mirrors = [state(old, tag: "tag", modified: 1000)]
          configure(&$0)
        }
      }
      let found = assess(left(), mirrors: [next])
      #expect(isOfOtherURL(found) == true && resumed(found)?.validators.lastModified == 1000)
      #expect(isOfOtherURL(assess(left(), mirrors: [old])) == false)
      #expect(startsOver(assess(left { $0.completeLength = nil }, mirrors: [next]), .otherURL))
      #expect(startsOver(assess(left { $0.mirrors[0].strongTag = nil }, mirrors: [next]), .otherURL))
      #expect(startsOver(assess(left { $0.flags = [.unreliableTags] }, mirrors: [next]), .otherURL))
      let trusting = assess(left { $0.mirrors[0].strongTag = nil }, mirrors: [next], trustsLength: true)
      #expect(startsOver(trusting, .otherURL))
      // In place of the mirror from which it differs.
      guard case .resume(_, mirror: 1, _, _, true) = assess(left(), mirrors: [other, next]) else {
        Issue.record("\(assess(left(), mirrors: [other, next]))")
        continue
      }
    }
  }

  @Test func `a URL that takes the place of the former one may go on with a strong tag and a length`() {
    let third = Location(scheme: .http, host: "third", port: 80, path: "/g", query: nil)
    let mirrors = [third, other]
    guard case .resume(let known, mirror: 0, _, _, true) = assess(record(), mirrors: mirrors, formerURL: location)
    else {
      Issue.record("\(assess(record(), mirrors: mirrors, formerURL: location))")
      return
    }
    #expect(known.validators.entityTag != nil)
    #expect(startsOver(assess(record(), mirrors: mirrors), .otherURL))
    #expect(startsOver(assess(record(), mirrors: mirrors, formerURL: third), .otherURL))
    for left in [
      record { $0.completeLength = nil }, record { $0.mirrors[0].strongTag = nil },
      record { $0.flags = [.unreliableTags] },
    ] {
      #expect(startsOver(assess(left, mirrors: mirrors, formerURL: location), .otherURL))
    }
    // The bytes came from a mirror that the request does not have any more.
    let mirrored = record {
      $0.mirrors.append(state(Location(scheme: .http, host: "m", port: 80, path: "/f", query: nil), tag: "m"))
      $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 1)]
    }
    #expect(isOfOtherURL(assess(mirrored, mirrors: mirrors, formerURL: location)) == true)
  }

  @Test func `a new URL beside the former one goes on with the former one's version`() {
    let tagged = record()
    guard case .resume(let known, mirror: 1, _, _, false) = assess(tagged, mirrors: [other, location]) else {
      Issue.record("\(assess(tagged, mirrors: [other, location]))")
      return
    }
    #expect(known.validators.entityTag != nil)
    // The mirror that brought the bytes is not in the request, but the original URL is.
    let mirrored = record { $0.mirrors = [state(location, tag: nil), state(other, tag: "tag")] }
    let left = record {
      $0.mirrors = mirrored.mirrors
      $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 1)]
    }
    #expect(isOfOtherURL(assess(left)) == true)
    let third = Location(scheme: .http, host: "third", port: 80, path: "/f", query: nil)
    #expect(startsOver(assess(left, mirrors: [third]), .otherURL))
  }

  /// The request does not have mirrors that only an answer named. A digest has let them supply bytes.
  @Test func `a mirror of the request is used where a digest judges the bytes`() {
    let mixed = record {
      $0.mirrors.append(state(other, tag: "other"))
      $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 1)]
    }
    var claimed = mixed
    claimed.claimedDigests = [sha256]
    for assessment in [assess(mixed, digests: [sha256]), assess(claimed)] {
      #expect(resumed(assessment)?.validators.entityTag?.opaque == Array("tag".utf8))
    }
    #expect(resumed(assess(mixed))?.validators.entityTag?.opaque == Array("other".utf8))
  }

  @Test func `the mirror that the bytes came from is used`() {
    let third = Location(scheme: .http, host: "third", port: 80, path: "/f", query: nil)
    let recorded = record {
      $0.mirrors.append(state(other, tag: "second"))
      $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 1)]
    }
    // At its index in the new request.
    for (mirrors, index) in [([location, other], 1), ([location, third, other], 2), ([location], 0)] {
      guard case .resume(let known, index, _, _, mirrors.count == 1) = assess(recorded, mirrors: mirrors) else {
        Issue.record("\(assess(recorded, mirrors: mirrors))")
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
    guard case .resume(_, _, let expectedDigests, _, _) = assess(bare) else {
      Issue.record("a claimed digest is sufficient")
      return
    }
    #expect(expectedDigests == [ExpectedDigest(sha256, .server)])
    let given = record { $0.digests = [md5] }
    guard case .resume(_, _, let others, _, _) = assess(given, digests: [sha256]) else {
      Issue.record("another algorithm contradicts nothing")
      return
    }
    #expect(others == [ExpectedDigest(md5, .given)])
    #expect(startsOver(assess(bare, digests: [otherSHA256]), .otherDigest))
  }

  @Test func `a record keeps expected digests with their sources, the coding and the reliability of tags`() {
    let expectedDigests = [ExpectedDigest(sha256, .given), ExpectedDigest(md5, .server)]
    let knowledge = VersionKnowledge(
      completeLength: 7, contentCoding: "br", validators: [nil], expectedDigests: expectedDigests, isETagReliable: false
    )
    let location = Location(scheme: .https, host: "h", port: 443, path: "/f", query: nil)
    let record = SidecarRecord(target: [65], url: location, mirrors: [location], bootID: "boot", knowledge: knowledge)
    #expect(record.expectedDigests == expectedDigests)
    #expect(record.contentCoding == "br" && record.completeLength == 7 && record.flags == [.unreliableTags])
  }

  @Test func `bytes of several mirrors are resumed only with equal entity tags or a digest`() {
    func record(_ tags: [String?]) -> SidecarRecord {
      self.record { record in
        record.mirrors = tags.enumerated().map { index, tag in
          SidecarRecord.MirrorState(
            url: "http://h\(index)/f", urlHash: index == 0 ? location.hash : "8899aabbccddee0\(index)",
            strongTag: tag.map { Array($0.utf8) }, lastModified: 1000, lastModifiedIsStrong: true)
        }
        record.sources = tags.indices.map { SidecarRecord.SourcedRange(Int64($0)..<Int64($0 + 1), mirror: $0) }
      }
    }
    #expect(resumed(assess(record(["v", "v"]))) != nil)
    for tags in [["v", "w"], ["v", nil], [nil, nil]] {
      #expect(startsOver(assess(record(tags)), .severalMirrors), "\(tags)")
      #expect(resumed(assess(record(tags), digests: [sha256])) != nil, "\(tags)")
      let isTrusted = resumed(assess(record(tags), trustsLength: true)) != nil
      #expect(isTrusted == (tags[1] != "w"), "\(tags)")
    }
    var sole = record(["v", "w"])
    sole.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 0)]
    #expect(resumed(assess(sole)) != nil)
  }

  @Test func `coded bytes are not resumed`() {
    #expect(startsOver(assess(record { $0.contentCoding = "gzip" }, digests: [sha256]), .coded("gzip")))
  }

  @Test func `unreliable entity tags stay unreliable`() {
    let tagged = record { $0.flags = [.unreliableTags] }
    #expect(startsOver(assess(tagged), .noVersion))
    let dated = record {
      $0.flags = [.unreliableTags]
      $0.mirrors[0].lastModified = 1000
      $0.mirrors[0].lastModifiedIsStrong = true
    }
    guard case .resume(_, _, _, false, _) = assess(dated) else {
      Issue.record("\(assess(dated))")
      return
    }
    #expect(startsOver(assess(dated, mirrors: [other]), .otherURL))
  }

  @Test func `a contradictory record starts over`() {
    #expect(startsOver(assess(record { $0.mirrors = [] }), .noSource))
    let beyond = record { $0.sources = [SidecarRecord.SourcedRange(0..<500, mirror: 9)] }
    guard case .resume(_, mirror: 0, _, _, _) = assess(beyond) else {
      Issue.record("\(assess(beyond))")
      return
    }
    // A tag that could not have come from a header is none.
    #expect(startsOver(assess(record { $0.mirrors[0].strongTag = Array("a\"b".utf8) }), .noVersion))
    #expect(startsOver(assess(record { $0.mirrors[0].strongTag = [] }), .noVersion))
  }
}
