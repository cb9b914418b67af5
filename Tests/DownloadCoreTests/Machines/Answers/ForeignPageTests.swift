import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Pages in place of files` {
  private func location(_ host: String) -> Location {
    Location(scheme: .https, host: host, port: 443, path: "/f", query: nil)
  }

  private func classify(
    _ asked: String, _ answering: String, _ name: String, isPage: Bool = true
  ) -> ForeignPage.Classification {
    ForeignPage.classify(
      isPage: isPage, asked: location(asked), answering: location(answering), name: Array(name.utf8))
  }

  @Test(arguments: ["a.he5", "a.tar.gz", "x.7z", ".gz", "a.html.gz", "README.md", "v1.2.zip"])
  func `a page of another host is wrong for the name of a file`(name: String) {
    #expect(classify("data.example", "login.example", name) == .wrong)
    #expect(classify("data.example", "data.example", name) == .file)
    #expect(classify("data.example", "www.data.example", name) == .file)
    #expect(classify("www.data.example", "data.example", name) == .file)
    #expect(classify("data.example", "login.data.example", name) == .wrong)
    #expect(classify("data.example", "login.example", name, isPage: false) == .file)
  }

  @Test(arguments: [
    "README", "a", "", "a.html", "a.HTM", "a.xhtml", "a.shtml", "a.php", "a.asp", "a.aspx", "a.jsp", "a.cgi", "a.cfm",
    "a.do", "a.action", "v1.2", "a.2024", "a.", "a.toolong", "what.is-this", "a.b c",
  ])
  func `it is doubtful for a name that may be a page's`(name: String) {
    #expect(classify("data.example", "login.example", name) == .doubtful)
    #expect(classify("data.example", "data.example", name) == .file)
  }

  private func redirected(
    name: String, digests: [ContentDigest] = [], beginning: FileMachine.Beginning = .fresh,
    _ change: (inout RunSettings) -> Void = { _ in }
  ) -> FileTrace {
    let trace = FileTrace(digests: digests, name: Array(name.utf8), beginning: beginning, change)
    trace.head(0, 302, length: 0, redirectTo: "login")
    trace.ended(0)
    return trace
  }

  private func page(_ head: inout ResponseHead) { head.contentType = "text/html" }

  @Test func `the file fails, or is stored without a mark`() {
    let wrong = redirected(name: "data.he5")
    wrong.head(1, 200, length: 500, tag: nil, page)
    wrong.ended(1, .stopped)
    #expect(wrong.take().last == "fail serverRefused")
    let doubtful = redirected(name: "data")
    #expect(doubtful.head(1, 200, length: 500, tag: nil, page) == .store(at: 0, skip: 0, end: 500))
    #expect(doubtful.notices == [.foreignPage(from: "login")])
    #expect(doubtful.run.file(0)?.machine.isDoubtful == true)
  }

  @Test func `a digest, an attachment, the user's word or another type make it the file`() {
    let store = BodyDisposition.store(at: 0, skip: 0, end: 500)
    let given = redirected(name: "data.he5", digests: [FileTrace.digest])
    #expect(given.head(1, 200, length: 500, page) == store)
    let accepted = redirected(name: "data.he5") { $0.file.acceptsHTML = true }
    #expect(accepted.head(1, 200, length: 500, page) == store)
    let typed = redirected(name: "data.he5")
    #expect(typed.head(1, 200, length: 500) { $0.contentType = "text/plain" } == store)
    for (disposition, isFile) in [("attachment; filename=\"a\"", true), ("ATTACHMENT", true), ("inline", false)] {
      let trace = redirected(name: "data.he5")
      let answer = trace.head(1, 200, length: 500) {
        page(&$0)
        $0.contentDisposition = Array(disposition.utf8)
      }
      #expect((answer == store) == isFile, "\(disposition)")
    }
    let claimed = redirected(name: "data.he5")
    let answer = claimed.head(1, 200, length: 500) {
      page(&$0)
      $0.representationDigests = [FileTrace.digest]
    }
    #expect(answer == store)
    for trace in [given, accepted, typed, claimed] { #expect(trace.run.file(0)?.machine.isDoubtful == false) }
  }

  @Test func `an existing page is kept whatever the length of the next one`() {
    let trace = redirected(name: "data", beginning: .compareLength(LocalCopy(modified: 0, size: 400)))
    trace.head(1, 200, length: 500, tag: nil, page)
    trace.ended(1, .stopped)
    #expect(trace.take().last == "keep")
  }
}
