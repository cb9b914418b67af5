import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Version state` {
  private static let digest = ContentDigest(.md5, repeating: 7)
  private static let host = HostConditions()

  private func representation(_ tag: String?, length: Int64? = 1000, coding: String? = nil) -> Representation {
    let entityTag = tag.flatMap { EntityTag(parsing: "\"\($0)\"".utf8) }
    return Representation(
      completeLength: length, validators: Validators(entityTag: entityTag), contentCoding: coding)
  }

  private func state(digests: [ContentDigest] = []) -> VersionState {
    VersionState(digests: digests, hasPieces: false, settings: FileSettings())
  }

  /// One of several mirrors, which has sent nothing yet.
  private func mirror() -> MirrorState {
    let location = Location(scheme: .https, host: "a", port: 443, path: "/f", query: nil)
    return MirrorState(location, probe: ConcurrencyProbe(initial: 1, maximum: 4, now: .zero))
  }

  /// The version of the mirror's answer.
  private func adopted(
    _ answer: Representation, digests: [ContentDigest] = [], closes: Bool = false
  ) -> (VersionState, MirrorState) {
    var (version, mirror) = (state(digests: digests), mirror())
    var head = ResponseHead(status: 200)
    head.contentLength = answer.completeLength
    head.connectionCloses = closes
    version.adopt(answer, Answer(head, to: .whole, unixTime: 0), keepsContent: false, of: &mirror)
    return (version, mirror)
  }

  @Test func `recorded bytes are kept only for an answer with the same entity tag and length`() {
    let (version, own) = adopted(representation("v"))
    #expect(version.mayKeepContent(before: representation("v"), of: own, host: Self.host))
    #expect(!version.mayKeepContent(before: representation("w"), of: own, host: Self.host))
    #expect(!version.mayKeepContent(before: representation(nil), of: own, host: Self.host))
    #expect(!version.mayKeepContent(before: representation("v", length: 999), of: own, host: Self.host))
    #expect(!version.mayKeepContent(before: representation("v", length: nil), of: own, host: Self.host))
    #expect(!version.mayKeepContent(before: representation("v", coding: "br"), of: own, host: Self.host))
    let unreliable = HostConditions(isETagReliable: false)
    #expect(!version.mayKeepContent(before: representation("v"), of: own, host: unreliable))
  }

  @Test func `with a digest bytes are kept, of several mirrors until a mismatch`() {
    var (version, own) = adopted(representation("v"), digests: [Self.digest])
    #expect(version.mayKeepContent(before: representation("w"), of: own, host: Self.host))
    #expect(version.mayKeepContent(before: representation("w"), of: mirror(), host: Self.host))
    version.mismatched()
    #expect(version.mayKeepContent(before: representation("w"), of: own, host: Self.host))
    #expect(!version.mayKeepContent(before: representation("w"), of: mirror(), host: Self.host))
  }

  @Test func `bytes of another mirror are kept only before an answer with the same entity tag`() {
    func dated(_ tag: String?) -> Representation {
      var version = representation(tag)
      version.validators.lastModified = 50
      version.validators.lastModifiedIsStrong = true
      return version
    }
    let (tagged, _) = adopted(dated("v"))
    let (untagged, own) = adopted(dated(nil))
    #expect(tagged.mayKeepContent(before: dated("v"), of: mirror(), host: Self.host))
    #expect(!tagged.mayKeepContent(before: dated("w"), of: mirror(), host: Self.host))
    #expect(!tagged.mayKeepContent(before: dated(nil), of: mirror(), host: Self.host))
    #expect(!untagged.mayKeepContent(before: dated(nil), of: mirror(), host: Self.host))
    #expect(untagged.mayKeepContent(before: dated(nil), of: own, host: Self.host), "one mirror is told by its date")
    #expect(tagged.admitsSeveralMirrors && !untagged.admitsSeveralMirrors)
    #expect(adopted(dated(nil), digests: [Self.digest]).0.admitsSeveralMirrors)
  }

  @Test func `an unidentified answer does not replace the validators of kept bytes`() {
    var (version, _) = adopted(representation("v"), digests: [Self.digest])
    var other = mirror()
    let answer = Answer(ResponseHead(status: 200), to: .whole, unixTime: 0)
    version.adopt(representation(nil), answer, keepsContent: true, of: &other)
    #expect(version.representation == representation("v") && other.validators == nil)
  }

  @Test func `discarding content removes its version and claimed digests`() {
    var (version, mirror) = (state(), mirror())
    var head = ResponseHead(status: 200)
    head.representationDigests = [Self.digest]
    version.adopt(representation("v"), Answer(head, to: .whole, unixTime: 0), keepsContent: false, of: &mirror)
    #expect(version.isVerifiable && version.knowledge([]).expectedDigests == [ExpectedDigest(Self.digest, .server)])
    version.contentDiscarded()
    #expect(version.representation == nil && !version.isVerifiable)
    #expect(version.knowledge([nil, nil]) == VersionKnowledge(validators: [nil, nil]))
  }

  @Test func `a close-delimited length is confirmed or not recorded`() {
    var (version, _) = adopted(representation(nil, length: nil), closes: true)
    version.ended(at: 700)
    #expect(version.needsConfirmation && version.completeLength == 700)
    #expect(version.knowledge([]).completeLength == nil)
    version.confirmed(by: Self.digest)
    #expect(!version.needsConfirmation && version.knowledge([]).completeLength == 700)
    #expect(version.knowledge([]).expectedDigests.isEmpty, "a confirmation is no digest from outside")
    #expect(!adopted(representation(nil, length: nil), digests: [Self.digest], closes: true).0.needsConfirmation)
    var (told, own) = adopted(representation("v", length: nil), closes: true)
    let isNews = told.learn(from: representation("v"), of: &own, tellsLength: true)
    #expect(isNews && !told.needsConfirmation && told.knowledge([]).completeLength == 1000)
  }

  @Test func `a range without the complete length tells another mirror's version only by its validators`() {
    for (tellsLength, isKnown) in [(true, true), (false, false)] {
      var (version, other) = (adopted(representation("v"), digests: [Self.digest]).0, mirror())
      let isNews = version.learn(from: representation("w"), of: &other, tellsLength: tellsLength)
      #expect(isNews == isKnown && (other.validators != nil) == isKnown)
    }
  }

  @Test func `the version of an earlier run is used only if later answers can be compared with it`() {
    func resumes(_ known: Representation, digests: [ContentDigest] = [], trustsETags: Bool = true) -> Bool {
      var version = state(digests: digests)
      let isResumed = version.resume(known, digests: digests, inherited: [], trustsETags: trustsETags)
      #expect(version.representation == (isResumed ? known : nil))
      return isResumed
    }
    let tagged = resumes(representation("v"))
    let bare = resumes(representation(nil))
    let judged = resumes(representation(nil), digests: [Self.digest])
    let coded = resumes(representation("v", coding: "br"), digests: [Self.digest])
    let untrusted = resumes(representation("v"), trustsETags: false)
    #expect(tagged && judged && !bare && !coded && !untrusted)
  }
}
