import TestSupport
import Testing

@testable import DownloadCore

/// Files that servers are only asked about.
@Suite struct `Questions about one file` {
  private func trace(expectedLength: Int64? = nil) -> FileTrace {
    FileTrace(expectedLength: expectedLength, beginning: .probe(.head))
  }

  @Test func `end with the answer to a HEAD, whose connection stays usable`() {
    let trace = trace()
    #expect(trace.head(0, 200, length: 1 << 40) == .drain)
    trace.ended(0)
    #expect(trace.take() == ["head 0 a/f all", "keep"])
  }

  @Test func `follow redirects with a HEAD`() {
    let trace = trace()
    #expect(trace.head(0, 302, redirectTo: "b") == .drain)
    trace.ended(0)
    trace.head(1, 200, length: 5)
    trace.ended(1)
    #expect(trace.take() == ["head 0 a/f all", "head 1 b/target all", "keep"])
  }

  @Test(arguments: [400, 403, 404, 405, 406, 407, 410, 501, 204])
  func `are asked again with a GET where the server refuses a HEAD`(status: Int) {
    let trace = trace()
    trace.head(0, status)
    trace.ended(0)
    #expect(trace.take() == ["head 0 a/f all", "get 1 a/f all"])
    // The body of a long file is not read.
    #expect(trace.head(1, 200, length: 1 << 30) == .stop)
    trace.ended(1, .stopped)
    #expect(trace.take() == ["keep"])
  }

  @Test(arguments: [401, 505])
  func `end with an answer that a GET would not change`(status: Int) {
    let trace = trace()
    trace.head(0, status)
    trace.ended(0)
    #expect(trace.take().last?.hasPrefix("fail ") == true)
  }

  @Test func `end with the refusal of a GET`() {
    let trace = trace()
    trace.head(0, 405)
    trace.ended(0)
    trace.head(1, 405)
    trace.ended(1)
    #expect(trace.take() == ["head 0 a/f all", "get 1 a/f all", "fail serverRefused"])
  }

  @Test func `ask a GET where the target of a redirect refuses a HEAD`() {
    let trace = trace()
    trace.head(0, 302, redirectTo: "b")
    trace.ended(0)
    trace.head(1, 403)
    trace.ended(1)
    #expect(trace.take().suffix(2) == ["head 1 b/target all", "get 2 b/target all"])
  }

  @Test func `are repeated as any request is`() {
    let trace = trace()
    trace.head(0, 503)
    trace.ended(0)
    trace.wait(milliseconds: 60_000)
    trace.head(1, 200)
    trace.ended(1)
    #expect(trace.take() == ["head 0 a/f all", "head 1 a/f all", "keep"])
  }

  @Test(arguments: [200, 405])
  func `show another length than that of the list`(status: Int) {
    let trace = trace(expectedLength: 7)
    trace.head(0, status, length: 8)
    trace.ended(0)
    if status != 200 {
      trace.head(1, 200, length: 8)
      trace.ended(1, .stopped)
    }
    #expect(trace.take().last == "fail integrity")
  }
}
