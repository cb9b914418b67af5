import Testing

@testable import DownloadCore
@testable import DownloadLists
@testable import DownloadWords

@Suite struct `Words of downloaded lists` {
  private static let target = Location(
    scheme: .https, host: "cdn.example.net", port: 443, path: "/x/", query: nil)

  /// The URL of the command line is named, whichever URL failed.
  @Test(arguments: `Words of errors`.samples.map(\.value), FetchMessages.Subject.allCases)
  func `name the list or signature and the cause`(cause: Failure.Cause, subject: FetchMessages.Subject) {
    let error = FetchMessages.error(Failure(cause), of: subject, Wording.location)
    Wording.check(
      error.message, hint: error.hint(), facts: ["cannot download the \(subject) https://example.org/a.iso: "],
      "\(cause)")
    if case .transfer(.tooLarge, _, _, _) = cause { return }
    #expect(error.code == Failure(cause).code)
  }

  @Test func `say how long a list may be`() {
    let cause = Failure.Cause.transfer(.tooLarge(limit: ListFetch.mostBytes), at: Self.target, attempts: 0)
    let error = FetchMessages.error(Failure(cause), of: .list, Wording.location)
    #expect(error.message.hasSuffix("it is larger than 1.0 GiB") && error.code == .usage)
  }

  @Test func `say what was downloaded`() {
    let text = FetchMessages.done(list: Wording.location, byteCount: 2048, directory: Self.target)
    Wording.check(text, facts: ["the list https://example.org/a.iso", "2.0 KiB", "https://cdn.example.net/x/"], "done")
    let signature = FetchMessages.done(.signature, Wording.location, byteCount: 2048)
    Wording.check(signature, facts: ["the signature https://example.org/a.iso", "2.0 KiB"], "done")
    for subject in FetchMessages.Subject.allCases {
      let error = FetchMessages.error(contentCoding: "br", of: subject, Wording.location)
      Wording.check(
        error.message, hint: error.hint(), facts: ["the \(subject) https://example.org/a.iso", "br"], "coding")
    }
  }
}
