import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `The meaning of an HTTP head` {
  private func answer(
    _ status: Int, asked: AskedContent = .whole, _ change: (inout ResponseHead) -> Void = { _ in }
  ) -> Answer {
    var head = ResponseHead(status: status)
    change(&head)
    return Answer(head, to: asked, unixTime: 1000)
  }

  private func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> ContentDigest {
    ContentDigest(algorithm, repeating: byte)
  }

  @Test func `a status that the user accepts stands for the whole content, if it can have any`() {
    let statuses = WholeStatuses(further: Set(100...599))
    for status in 200...599 where status != 206 && !(300...399).contains(status) {
      for asked in [AskedContent.whole, .from(10)] {
        let head = ResponseHead(status: status)
        let usual = Answer(head, to: asked, unixTime: 0).meaning
        let accepted = [204, 205].contains(status) || status > 299 ? usual : Answer.Meaning.whole
        #expect(Answer(head, to: asked, statuses, unixTime: 0).meaning == accepted, "\(status)")
      }
    }
    let created = WholeStatuses(further: [201, 206, 301])
    #expect([201, 202, 203, 206, 301].map(created.contains) == [true, false, true, false, false])
  }

  @Test func `every status has one meaning`() {
    for status in 200...599 {
      let expected: Answer.Meaning =
        switch status {
        case 200, 203: .whole
        case 206: .refused(.protocolViolation(.unaskedRange))
        case 304: .notModified
        case 301, 302, 303, 307, 308: .refused(.protocolViolation(.missingLocation))
        case 401, 403, 404, 410: .unavailable(status: status)
        case 400, 412, 416, 501: .unacceptable(status: status)
        case 201..<300: .refused(.protocolViolation(.unexpectedStatus(status)))
        default: .refused(.status(status))
        }
      #expect(answer(status).meaning == expected)
    }
    #expect(answer(302) { $0.location = [47] }.meaning == .redirect)
  }

  @Test func `a range is what was asked for, with a length of the whole`() {
    let asked = AskedContent.range(100..<200)
    let whole = answer(206, asked: asked) {
      $0.contentRange = .satisfied(100..<200, completeLength: 1000)
      $0.contentLength = 100
    }
    #expect(whole.meaning == .range(100..<200) && whole.representation.completeLength == 1000)
    #expect(whole.bodyLength == 100)
    let open = answer(206, asked: asked) { $0.contentRange = .satisfied(100..<150, completeLength: nil) }
    #expect(open.meaning == .range(100..<150) && open.representation.completeLength == nil)
    let shifted = answer(206, asked: asked) { $0.contentRange = .satisfied(99..<200, completeLength: 1000) }
    #expect(shifted.meaning == .refused(.protocolViolation(.otherRange(start: 99, asked: 100))))
  }

  @Test func `a head with contradictory digests claims nothing`() {
    let claims = answer(200) { $0.representationDigests = [digest(1), digest(2), digest(3, .sha512)] }.claims
    #expect(claims == [digest(3, .sha512)])
  }

  @Test func `Content-MD5 counts of whole content only`() {
    let md5 = digest(1, .md5)
    #expect(answer(200) { $0.contentMD5 = md5 }.claims == [md5])
    #expect(answer(206) { $0.contentMD5 = md5 }.claims.isEmpty)
  }

  @Test func `a wait is told by the server's clock, else by ours`() {
    let date = Array("Thu, 01 Jan 1970 00:20:00 GMT".utf8)
    #expect(answer(503) { $0.retryAfterValue = date }.retryAfter == .seconds(200))
    let dated = answer(503) {
      $0.retryAfterValue = date
      $0.date = 1100
    }
    #expect(dated.retryAfter == .seconds(100))
  }
}
