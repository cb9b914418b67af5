import TestSupport
import Testing

@testable import DownloadCore

/// Answers that change what is known of a file: versions, refused ranges, redirects, lengths.
@Suite struct `Answers to requests for one file` {
  @Test func `a changed version starts over, a few times`() {
    let trace = FileTrace()
    trace.head(0, 200, length: 1_000_000)
    var id = 0
    for version in 0..<5 {
      trace.advanced(id, 300_000)
      trace.ended(id, .failed(.shortBody))
      _ = trace.take()
      let length = 1_000_001 + Int64(version)
      trace.head(id + 1, 206, range: 300_000..<1_000_000, of: length, tag: "w\(version)")
      trace.ended(id + 1, .stopped)
      // A plain GET confirms the new version before anything is discarded.
      #expect(trace.take() == ["get \(id + 2) a/f all"])
      trace.head(id + 2, 200, length: length, tag: "x\(version)") { $0.lastModified = Int64(version) }
      #expect(trace.take().first == "discard")
      id += 2
    }
    trace.advanced(id, 300_000)
    trace.ended(id, .failed(.shortBody))
    _ = trace.take()
    trace.head(id + 1, 206, range: 300_000..<1_000_000, of: 1_000_009, tag: "z")
    trace.ended(id + 1, .stopped)
    trace.head(id + 2, 200, length: 1_000_009, tag: "z")
    trace.ended(id + 2, .stopped)
    #expect(trace.take() == ["get \(id + 2) a/f all", "fail integrity"])
  }

  @Test func `a range of another version discards nothing if a plain GET returns the known one`() {
    let trace = FileTrace()
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.shortBody))
    _ = trace.take()
    trace.head(1, 206, range: 300_000..<1_000_000, of: 1_000_000, tag: "w")
    trace.ended(1, .stopped)
    #expect(trace.take() == ["get 2 a/f all"])
    #expect(trace.head(2, 200, length: 1_000_000) == .store(at: 0, skip: 300_000, end: 1_000_000))
    trace.advanced(2, 1_000_000)
    trace.ended(2, .complete(digest: nil))
    #expect(trace.take().last == "conclude 1000000 0")
  }

  @Test func `after refused ranges the whole file is requested`() {
    for status in [403, 416] {
      let trace = FileTrace()
      trace.head(0, 200, length: 1_000_000)
      trace.advanced(0, 300_000)
      trace.ended(0, .failed(.shortBody))
      trace.head(1, status, length: 0)
      trace.ended(1, .stopped)
      _ = trace.take()
      #expect(trace.head(2, 200, length: 1_000_000) == .store(at: 0, skip: 300_000, end: 1_000_000))
      trace.advanced(2, 600_000)
      trace.ended(2, .failed(.reset("gone")))
      // The refusal may have been that of one server of several: the file has grown meanwhile.
      #expect(trace.take().filter { $0.contains("get") } == ["get 3 a/f 600000-999999"])
      trace.head(3, status, length: 0)
      trace.ended(3, .stopped)
      #expect(trace.take().last?.hasSuffix("a/f all") == true)
    }
  }

  @Test func `a mirror that fails at ranges is asked for the whole file before it is given up`() {
    let trace = FileTrace { $0.file.tries = 3 }
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.shortBody))
    for id in 1...3 {
      trace.wait(milliseconds: 20_000)
      trace.head(id, 206, range: 0..<1_000_000, of: 1_000_000)
      trace.ended(id, .stopped)
    }
    trace.wait(milliseconds: 20_000)
    #expect(trace.take().last == "get 4 a/f all")
    trace.head(4, 200, length: 1_000_000)
    trace.advanced(4, 1_000_000)
    trace.ended(4, .complete(digest: nil))
    #expect(trace.take().last == "conclude 1000000 0")
  }

  @Test func `a claimed digest stays expected when bytes are kept because of it, whatever later answers claim`() {
    let claim = ContentDigest(.sha256, repeating: 1)
    let other = ContentDigest(.sha512, repeating: 2)
    for laterClaims in [[], [other], [claim, other]] {
      let trace = FileTrace()
      trace.head(0, 200, length: 1_000_000, tag: nil) { $0.representationDigests = [claim] }
      trace.advanced(0, 300_000)
      trace.ended(0, .failed(.shortBody))
      let disposition = trace.head(1, 200, length: 1_000_000, tag: nil) { $0.representationDigests = laterClaims }
      #expect(disposition == .store(at: 0, skip: 300_000, end: 1_000_000))
      #expect(trace.run.expectedDigests(of: 0) == [ExpectedDigest(claim, .server)])
    }
  }

  @Test func `a redirect is followed, forgotten when it expires, and limited in number`() {
    let trace = FileTrace()
    _ = trace.take()
    trace.head(0, 302, length: 0, redirectTo: "b")
    trace.ended(0)
    #expect(trace.take() == ["get 1 b/target all"])
    trace.head(1, 200, length: 1_000_000)
    trace.advanced(1, 300_000)
    trace.ended(1, .failed(.reset("x")))
    #expect(trace.take() == ["adopt 1000000", "get 2 b/target 300000-999999"])
    trace.head(2, 403, length: 10)
    trace.ended(2)
    // A pause follows an attempt without progress. Then the original URL is requested.
    trace.wait(milliseconds: 500)
    #expect(trace.take() == ["get 3 a/f 300000-999999"])
    for hop in 3..<23 {
      trace.head(hop, 302, length: 0, redirectTo: "b\(hop)")
      trace.ended(hop)
    }
    #expect(trace.take().count == 20)
    trace.head(23, 302, length: 0, redirectTo: "c")
    trace.ended(23)
    #expect(trace.take() == ["fail protocolViolation"])
  }

  @Test func `a redirect target with an untrusted certificate is left for the original URL`() {
    let trace = FileTrace { $0.file.tries = 2 }
    _ = trace.take()
    trace.head(0, 302, length: 0, redirectTo: "b")
    trace.ended(0)
    trace.ended(1, .failed(.tlsVerification("expired")))
    trace.wait(milliseconds: 500)
    #expect(trace.take() == ["get 1 b/target all", "get 2 a/f all"])
    // An untrusted certificate of the original host is final.
    trace.ended(2, .failed(.tlsVerification("expired")))
    #expect(trace.take() == ["fail tls"])
  }

  @Test func `a redirect from https to http needs a given digest`() {
    for digests in [[], [FileTrace.digest]] {
      let trace = FileTrace(digests: digests)
      _ = trace.take()
      var actions: [RunAction] = []
      var head = ResponseHead(status: 302)
      head.location = [47]
      head.contentLength = 0
      let target = Location(scheme: .http, host: "b", port: 80, path: "/t", query: nil)
      _ = trace.run.headReceived(
        TransferID(number: 0), head, redirectTarget: target, roundTrip: nil, unixTime: 0, now: .zero, &actions)
      trace.ended(0)
      #expect(trace.take() == (digests.isEmpty ? ["fail protocolViolation"] : ["get 1 b/t all"]))
    }
  }

  @Test func `the expected length is compared with the first answer`() {
    let trace = FileTrace(expectedLength: 999)
    trace.head(0, 200, length: 1000)
    trace.ended(0, .stopped)
    #expect(trace.take() == ["get 0 a/f all", "fail integrity"])
  }

  @Test func `the maximum size limits announced and received lengths`() {
    let announced = FileTrace { $0.file.maxFilesize = 999 }
    let disposition = announced.head(0, 200, length: 1_000_000)
    #expect(disposition == .stop)
    announced.ended(0, .stopped)
    #expect(announced.take().last == "fail integrity")
    let endless = FileTrace { $0.file.maxFilesize = 999 }
    endless.head(0, 200) { $0.isChunked = true }
    endless.advanced(0, 1000)
    #expect(endless.take() == ["get 0 a/f all", "adopt ?", "stop 0", "fail integrity"])
    #expect(endless.run.governor(of: FileTrace.location("a").origin)?.active == 0)
  }
}
