import TestSupport
import Testing

@testable import DownloadCore

/// Verdicts by request, known version and answer.
@Suite struct `Response judge` {
  static let length: Int64 = 1000
  static let asked = AskedContent.range(100..<200)

  static func tag(_ text: String) -> EntityTag { EntityTag(parsing: "\"\(text)\"".utf8)! }

  /// With entity tag `a` and modification time 50.
  static let known = Representation(
    completeLength: length,
    validators: Validators(entityTag: tag("a"), lastModified: 50, lastModifiedIsStrong: true))
  static let dated = Representation(
    completeLength: length, validators: Validators(lastModified: 50, lastModifiedIsStrong: true))
  static let weaklyDated = Representation(completeLength: length, validators: Validators(lastModified: 50))
  static let bare = Representation(completeLength: length, validators: Validators())

  static func head(_ status: Int, _ change: (inout ResponseHead) -> Void = { _ in }) -> ResponseHead {
    var head = ResponseHead(status: status)
    head.date = 1000
    if status == 206 {
      head.contentRange = .satisfied(100..<200, completeLength: length)
      head.contentLength = 100
    } else if status == 200 {
      head.contentLength = length
    }
    if status == 200 || status == 206 {
      head.entityTag = tag("a")
      head.lastModified = 50
    }
    change(&head)
    return head
  }

  static func word(
    _ head: ResponseHead, asked: AskedContent = asked, known: Representation? = known,
    expectedDigests: ExpectedDigests = ExpectedDigests(given: []), digest: Bool = false,
    trustsLength: Bool = false, isETagReliable: Bool = true, mayHaveExpired: Bool = false,
    hasServed: Bool = false, isConditional: Bool = false, isOtherMirror: Bool = false, isRecorded: Bool = true,
    isRefuted: Bool = false
  ) -> String {
    let judge = ResponseJudge(
      asked: asked, known: known, expectedDigests: expectedDigests, isVerifiable: digest, trustsLength: trustsLength,
      host: HostConditions(isETagReliable: isETagReliable), mayHaveExpired: mayHaveExpired,
      hasServed: hasServed, isConditional: isConditional, isOtherMirror: isOtherMirror, isRecorded: isRecorded,
      isRefuted: isRefuted)
    return switch judge.verdict(on: Answer(head, to: asked, unixTime: 0)) {
    case .whole: "whole"
    case .wholeInsteadOfRange: "whole instead of range"
    case .range(let range, _): "range \(range.lowerBound)-\(range.upperBound)"
    case .changed(let reason, _): "changed \(reason)"
    case .versionInDoubt(let reason): reason.map { "in doubt \($0)" } ?? "in doubt"
    case .rangesRefused(let status): "ranges refused \(status)"
    case .notModified: "not modified"
    case .redirect: "redirect"
    case .resolveAgain(let status): "resolve again \(status)"
    case .refused(.protocolViolation): "violation"
    case .refused(.status(let status)): "refused \(status)"
    case .refused(let fault): "refused \(fault)"
    }
  }

  @Test func `a plain request accepts a 200 or 203 only`() {
    #expect(Self.word(Self.head(200) { $0.status = 203 }, asked: .whole, known: nil) == "whole")
    #expect(Self.word(Self.head(200), asked: .whole, known: nil) == "whole")
    #expect(Self.word(Self.head(200) { $0.isChunked = true }, asked: .whole, known: nil) == "whole")
    #expect(Self.word(Self.head(200) { $0.contentEncoding = "gzip" }, asked: .whole, known: nil) == "whole")
    #expect(Self.word(Self.head(200) { $0.hasInvalidContentLength = true }, asked: .whole, known: nil) == "violation")
    #expect(Self.word(Self.head(206), asked: .whole, known: nil) == "violation")
    #expect(Self.word(Self.head(206), asked: .whole) == "violation")
    #expect(Self.word(Self.head(416), asked: .whole) == "refused 416")
    for status in [201, 202, 204, 226, 304] {
      #expect(Self.word(Self.head(status), asked: .whole, known: nil) == "violation", "\(status)")
    }
  }

  @Test func `a range request accepts a matching range with the known validator`() {
    #expect(Self.word(Self.head(206)) == "range 100-200")
    // The server may send a shorter or longer range; the caller cuts it.
    let shorter = Self.head(206) {
      $0.contentRange = .satisfied(100..<150, completeLength: 1000)
      $0.contentLength = 50
    }
    #expect(Self.word(shorter) == "range 100-150")
    #expect(Self.word(Self.head(206) { $0.contentLength = nil }) == "range 100-200")
    #expect(
      Self.word(Self.head(206) { $0.contentRange = .satisfied(100..<200, completeLength: nil) }) == "range 100-200")
    #expect(Self.word(Self.head(206) { $0.lastModified = nil }) == "range 100-200")
    #expect(Self.word(Self.head(206) { $0.entityTag = nil }) == "range 100-200")
  }

  @Test func `an answer that contradicts itself or the request is refused`() {
    let violations: [ResponseHead] = [
      Self.head(206) { $0.contentRange = .satisfied(99..<200, completeLength: 1000) },
      Self.head(206) { $0.contentRange = .satisfied(0..<1000, completeLength: 1000) },
      Self.head(206) { $0.contentRange = nil },
      Self.head(206) { $0.contentRange = .unsatisfied(completeLength: 1000) },
      Self.head(206) { $0.hasMalformedContentRange = true },
      Self.head(206) { $0.hasInvalidContentLength = true },
      Self.head(206) { $0.contentLength = 99 },
      Self.head(206) { $0.contentEncoding = "gzip" },
      Self.head(302), Self.head(304), Self.head(204),
    ]
    for (row, head) in violations.enumerated() {
      #expect(Self.word(head) == "violation", "row \(row)")
      #expect(Self.word(head, digest: true) == "violation", "row \(row) with a digest")
    }
    #expect(Self.word(Self.head(206), known: nil) == "violation")
    let beyond = Self.head(206) {
      $0.contentRange = .satisfied(100..<2000, completeLength: nil)
      $0.contentLength = 1900
    }
    #expect(Self.word(beyond) == "violation")
  }

  @Test func `a range of another version raises a doubt, and only a plain GET changes the version`() {
    let tagged: (inout ResponseHead) -> Void = { $0.entityTag = Self.tag("b") }
    #expect(Self.word(Self.head(206, tagged)) == "in doubt entityTag")
    #expect(Self.word(Self.head(206, tagged), digest: true) == "in doubt entityTag")
    #expect(Self.word(Self.head(206) { $0.lastModified = 51 }, known: Self.dated) == "in doubt lastModified")
    // The entity tag takes precedence.
    #expect(Self.word(Self.head(206) { $0.lastModified = 51 }) == "range 100-200")
    let longer: (inout ResponseHead) -> Void = {
      $0.contentRange = .satisfied(100..<200, completeLength: 1001)
      tagged(&$0)
    }
    #expect(Self.word(Self.head(206, longer)) == "in doubt length(1001, was: 1000)")
    #expect(Self.word(Self.head(200, tagged)) == "in doubt entityTag")
    #expect(Self.word(Self.head(200, tagged), asked: .whole) == "changed entityTag")
    let coded = Self.head(200) {
      $0.contentEncoding = "gzip"
      tagged(&$0)
    }
    #expect(Self.word(coded, asked: .whole) == "changed entityTag")
    let onlyDated = Self.head(200) { $0.entityTag = nil }
    let onlyTagged = Representation(completeLength: 1000, validators: Validators(entityTag: Self.tag("a")))
    #expect(Self.word(onlyDated, asked: .whole, known: onlyTagged) == "changed validators")
    #expect(Self.word(onlyDated, known: onlyTagged) == "in doubt")
  }

  @Test func `one strong validator for two contents is a contradiction, not a new version`() {
    for known in [Self.known, Self.dated] {
      let shorter = Self.head(200) { $0.contentLength = 300 }
      #expect(Self.word(shorter, known: known) == "violation")
      #expect(Self.word(shorter, asked: .whole, known: known) == "violation")
      let longer = Self.head(206) { $0.contentRange = .satisfied(100..<200, completeLength: 1001) }
      #expect(Self.word(longer, known: known) == "violation")
      let coded = Self.head(200) { $0.contentEncoding = "gzip" }
      #expect(Self.word(coded, asked: .whole, known: known) == "violation")
      #expect(Self.word(coded, known: known) == "violation")
    }
    // A missing length is no contradiction, but the body may be a fragment.
    let chunked = Self.head(200) {
      $0.isChunked = true
      $0.contentLength = nil
    }
    #expect(Self.word(chunked) == "ranges refused 200")
    #expect(Self.word(chunked, asked: .whole) == "whole")
  }

  @Test func `a body of unknown length has the known length of its version`() {
    let chunked = Self.head(200) {
      $0.isChunked = true
      $0.contentLength = nil
    }
    let judge = ResponseJudge(
      asked: .whole, known: Self.known, isVerifiable: false, trustsLength: false, host: HostConditions(),
      mayHaveExpired: false)
    let answer = Answer(chunked, to: .whole, unixTime: 0)
    guard case .whole(let version) = judge.verdict(on: answer) else {
      Issue.record("\(judge.verdict(on: answer))")
      return
    }
    #expect(version.completeLength == Self.length)
  }

  @Test func `the Content-Range of a 200 is ignored unless it calls the body a part`() {
    func head(_ range: ContentRange?, isMalformed: Bool = false, length: Int64? = 1000) -> ResponseHead {
      Self.head(200) {
        $0.contentRange = range
        $0.hasMalformedContentRange = isMalformed
        $0.contentLength = length
      }
    }
    let parts: [ContentRange] = [
      .satisfied(100..<1100, completeLength: 1100), .satisfied(0..<1000, completeLength: 1100),
      .satisfied(0..<999, completeLength: 999), .satisfied(0..<999, completeLength: nil),
      .satisfied(1..<1001, completeLength: nil), .unsatisfied(completeLength: 999),
    ]
    for part in parts {
      for asked in [AskedContent.whole, Self.asked, .from(100)] {
        for known in [Self.known, Self.bare, nil] {
          #expect(Self.word(head(part), asked: asked, known: known, digest: true) == "violation", "\(part)")
        }
      }
    }
    let harmless: [ContentRange] = [
      .satisfied(0..<1000, completeLength: 1000), .satisfied(0..<1000, completeLength: nil),
      .unsatisfied(completeLength: 1000),
    ]
    for length in [1000, nil] as [Int64?] {
      for head in harmless.map({ head($0, length: length) }) + [head(nil, isMalformed: true, length: length)] {
        #expect(Self.word(head, asked: .whole, known: nil) == "whole")
        #expect(Self.word(head, asked: .whole) == "whole")
        #expect(Self.word(head) == (length == nil ? "ranges refused 200" : "whole instead of range"))
      }
    }
  }

  @Test func `claimed digests distinguish versions`() {
    func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> ContentDigest {
      ContentDigest(algorithm, repeating: byte)
    }
    var expectedDigests = ExpectedDigests(given: [])
    let first = Self.head(200) { $0.representationDigests = [digest(1)] }
    expectedDigests.contentCame(from: Answer(first, to: .whole, unixTime: 0))
    let bare: (inout ResponseHead) -> Void = {
      $0.entityTag = nil
      $0.lastModified = nil
    }
    func word(_ status: Int, _ claim: ContentDigest, known: Representation) -> String {
      let head = Self.head(status) {
        if known == Self.bare { bare(&$0) }
        $0.representationDigests = [claim]
      }
      return Self.word(head, known: known, expectedDigests: expectedDigests, digest: true)
    }
    #expect(word(206, digest(1), known: Self.bare) == "range 100-200")
    #expect(word(206, digest(2), known: Self.bare) == "in doubt digest")
    #expect(word(206, digest(2), known: Self.known) == "violation")
    #expect(word(206, digest(9, .sha512), known: Self.known) == "range 100-200")
    #expect(word(200, digest(2), known: Self.bare) == "in doubt digest")
  }

  @Test func `an answer without a confirmed version is never combined with recorded bytes`() {
    let bare = Self.head(206) {
      $0.entityTag = nil
      $0.lastModified = nil
    }
    #expect(Self.word(bare) == "in doubt")
    #expect(Self.word(Self.head(206), known: Self.bare) == "in doubt")
    #expect(Self.word(Self.head(206), known: Self.weaklyDated) == "in doubt")
    #expect(
      Self.word(Self.head(206) { $0.entityTag = EntityTag(parsing: "W/\"a\"".utf8) }, known: Self.bare) == "in doubt")
    #expect(Self.word(bare, digest: true) == "range 100-200")
    #expect(Self.word(bare, trustsLength: true) == "range 100-200")
    let unknown = Self.head(206) { $0.contentRange = .satisfied(100..<200, completeLength: nil) }
    #expect(
      Self.word(
        unknown, asked: .from(100), known: Representation(completeLength: nil, validators: Self.known.validators))
        == "in doubt")
    #expect(Self.word(unknown, known: Self.bare, trustsLength: true) == "range 100-200")
  }

  @Test func `unreliable entity tags are ignored, dates are not`() {
    let other = Self.head(206) { $0.entityTag = Self.tag("b") }
    #expect(Self.word(other, isETagReliable: false) == "range 100-200")
    let undated = Self.head(206) {
      $0.entityTag = Self.tag("a")
      $0.lastModified = nil
    }
    #expect(Self.word(undated, isETagReliable: false) == "in doubt")
  }

  @Test func `a 200 to a range request is the whole content or refused`() {
    #expect(Self.word(Self.head(200)) == "whole instead of range")
    let bare = Self.head(200) {
      $0.entityTag = nil
      $0.lastModified = nil
    }
    #expect(Self.word(bare, known: Self.bare, digest: true) == "whole instead of range")
    #expect(Self.word(bare, known: Self.bare) == "in doubt")
  }

  @Test func `an unidentified answer never replaces an identified version`() {
    var page = Self.head(200) {
      $0.entityTag = nil
      $0.lastModified = nil
    }
    let verifiable = Representation(completeLength: 1000, validators: Validators())
    for type in ["text/html", "application/json", nil] {
      page.contentType = type
      for (length, isChunked) in [(320, false), (1000, false), (nil, true), (nil, false)] as [(Int64?, Bool)] {
        page.contentLength = length
        page.isChunked = isChunked
        for known in [Self.known, Self.dated, Self.weaklyDated] {
          #expect(Self.word(page, known: known) == "violation")
          #expect(Self.word(page, asked: .whole, known: known) == "violation")
        }
        if length == 1000 { continue }
        #expect(Self.word(page, known: verifiable, digest: true) == "violation")
        #expect(Self.word(page, asked: .whole, known: verifiable, digest: true) == "violation")
        // A version that digests have refuted is replaced by one of another length.
        let refuted = Self.word(page, asked: .whole, known: verifiable, digest: true, isRefuted: true)
        #expect(refuted.hasPrefix("changed") == (length != nil), "\(refuted)")
        // If nothing is recorded, the digest alone decides.
        #expect(Self.word(page, asked: .whole, known: verifiable, digest: true, isRecorded: false) != "violation")
        // Bytes of a coded one are never continued.
        let coded = Representation(completeLength: 1000, validators: Validators(), contentCoding: "gzip")
        #expect(Self.word(page, asked: .whole, known: coded, digest: true) != "violation")
      }
    }
    // The answer to the first request may be the file.
    #expect(Self.word(page, asked: .whole, known: nil) == "whole")
    #expect(Self.word(page, asked: .whole, known: Self.bare) == "whole")
  }

  @Test func `without a digest another mirror must have the same length and strong entity tag, whatever its date`() {
    let length = Self.length
    for (mine, theirs) in [("a", "a"), ("a", "b"), ("a", nil), (nil, "a"), (nil, nil)] as [(String?, String?)] {
      for (date, isDateEqual) in [(50, true), (51, false), (nil, false)] as [(Int64?, Bool)] {
        for complete in [length, length + 1] {
          let known = Representation(
            completeLength: length,
            validators: Validators(entityTag: mine.map(Self.tag), lastModified: 50, lastModifiedIsStrong: true))
          let answer = Self.head(206) {
            $0.entityTag = theirs.map(Self.tag)
            $0.lastModified = date
            $0.contentRange = .satisfied(100..<200, completeLength: complete)
          }
          func isMixed(digest: Bool = false, trustsLength: Bool = false) -> Bool {
            Self.word(answer, known: known, digest: digest, trustsLength: trustsLength, isOtherMirror: true)
              .hasPrefix("range")
          }
          let facts = "\(mine ?? "-") \(theirs ?? "-") \(isDateEqual) \(complete)"
          let (hasLength, differ) = (complete == length, mine != nil && theirs != nil && mine != theirs)
          #expect(isMixed() == (hasLength && mine != nil && mine == theirs), "\(facts)")
          #expect(isMixed(digest: true) == hasLength, "\(facts)")
          #expect(isMixed(trustsLength: true) == (hasLength && !differ), "\(facts)")
        }
      }
    }
  }

  @Test func `redirects, refusals and conditions`() {
    for status in [301, 302, 303, 307, 308] {
      #expect(Self.word(Self.head(status) { $0.location = [65] }) == "redirect")
    }
    for status in [401, 403, 404, 410] {
      #expect(Self.word(Self.head(status), mayHaveExpired: true) == "resolve again \(status)")
      #expect(Self.word(Self.head(status), asked: .whole) == "refused \(status)")
    }
    let refusing = Self.head(401) { $0.refusesCredentials = true }
    #expect(Self.word(refusing, asked: .whole) == "refused credentialsRefused(status: 401)")
    #expect(Self.word(refusing, mayHaveExpired: true) == "resolve again 401")
    for status in [429, 500, 503, 599, 300] {
      #expect(Self.word(Self.head(status), mayHaveExpired: true) == "refused \(status)")
    }
    // 403 may say that there were too many requests.
    let limited = "refused rateLimited(status: 403)"
    for asked in [AskedContent.whole, Self.asked] {
      #expect(Self.word(Self.head(403), asked: asked, hasServed: true) == limited)
      #expect(Self.word(Self.head(403), asked: asked, mayHaveExpired: true, hasServed: true) == "resolve again 403")
      let missing = asked == .whole ? "refused 404" : "ranges refused 404"
      #expect(Self.word(Self.head(404), asked: asked, hasServed: true) == missing)
      #expect(Self.word(Self.head(403) { $0.retryAfterValue = [0x31] }, asked: asked) == limited)
      #expect(Self.word(Self.head(403) { $0.hasUsedUpRequests = true }, asked: asked, mayHaveExpired: true) == limited)
    }
    for status in [400, 403, 404, 410, 412, 416, 501] {
      #expect(Self.word(Self.head(status)) == "ranges refused \(status)")
      #expect(Self.word(Self.head(status), asked: .whole) == "refused \(status)")
    }
    #expect(Self.word(Self.head(304), asked: .whole, known: nil, isConditional: true) == "not modified")
  }

  /// Without this a file that was interrupted once could never be had from a server that names neither versions nor
  /// lengths, although its digest is given.
  @Test func `a server without validators and lengths may answer again if a digest verifies the content`() {
    let bare = Self.head(200) {
      $0.entityTag = nil
      $0.lastModified = nil
      $0.contentLength = nil
    }
    let known = Representation(completeLength: nil, validators: Validators())
    #expect(Self.word(bare, known: known, digest: true) == "in doubt")
    #expect(Self.word(bare, asked: .whole, known: known, digest: true) == "whole")
    // What may be an error page does not replace a content of known length, or one whose digest the server named.
    let sized = Representation(completeLength: 1000, validators: Validators())
    #expect(Self.word(bare, asked: .whole, known: sized, digest: true) == "violation")
    var claimed = ExpectedDigests(given: [])
    claimed.contentCame(
      from: {
        var answer = Answer(.whole, status: 200, representation: known)
        answer.claims = [ContentDigest(.sha256, repeating: 1)]
        return answer
      }())
    #expect(Self.word(bare, asked: .whole, known: known, expectedDigests: claimed, digest: true) == "violation")
    // The same claim is of the same version.
    var again = bare
    again.representationDigests = [ContentDigest(.sha256, repeating: 1)]
    for known in [known, sized] {
      #expect(Self.word(again, asked: .whole, known: known, expectedDigests: claimed, digest: true) == "whole")
    }
    again.representationDigests = [ContentDigest(.sha512, repeating: 1)]
    #expect(Self.word(again, asked: .whole, known: sized, expectedDigests: claimed, digest: true) == "violation")
  }
}
