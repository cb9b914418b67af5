import Testing

@testable import DownloadCore

/// A file's requests, attempts, connections and end.
@Suite struct `Decisions about one file` {
  @Test func `a small file is one plain request`() {
    let trace = FileTrace()
    #expect(trace.take() == ["get 0 a/f all"])
    let disposition = trace.head(0, 200, length: 1000)
    #expect(disposition == .store(at: 0, skip: 0, end: 1000))
    trace.advanced(0, 1000)
    trace.ended(0)
    #expect(trace.take() == ["adopt 1000", "conclude 1000 0"])
    #expect(trace.run.transfers.count == 0)
  }

  @Test func `an empty file is complete at once`() {
    let trace = FileTrace()
    trace.head(0, 200, length: 0)
    trace.ended(0)
    #expect(trace.take() == ["get 0 a/f all", "adopt 0", "conclude 0 0"])
  }

  @Test func `a broken body resumes where it ended`() {
    let trace = FileTrace()
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.reset("x")))
    #expect(trace.take() == ["get 0 a/f all", "adopt 1000000", "get 1 a/f 300000-999999"])
    let disposition = trace.head(1, 206, range: 300_000..<1_000_000, of: 1_000_000)
    #expect(disposition == .store(at: 300_000, skip: 0, end: 1_000_000))
    trace.advanced(1, 1_000_000)
    trace.ended(1)
    #expect(trace.take() == ["conclude 1000000 0"])
  }

  @Test func `without a validator a broken body starts over`() {
    let trace = FileTrace()
    trace.head(0, 200, length: 1_000_000, tag: nil)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.shortBody))
    _ = trace.take()
    let disposition = trace.head(1, 200, length: 1_000_000, tag: nil)
    #expect(disposition == .store(at: 0, skip: 0, end: 1_000_000))
    #expect(trace.take() == ["discard", "adopt 1000000"])
    // Repeated bytes are no progress, so a pause follows.
    trace.advanced(1, 200_000)
    trace.ended(1, .failed(.shortBody))
    #expect(trace.take() == [])
    trace.wait(milliseconds: 499)
    #expect(trace.take() == [])
    trace.wait(milliseconds: 1)
    #expect(trace.take() == ["get 2 a/f all"])
  }

  @Test func `the pause doubles after each attempt without progress, then the file fails`() {
    let trace = FileTrace { $0.file.tries = 3 }
    _ = trace.take()
    for (attempt, pause) in [500, 1000].enumerated() {
      trace.ended(attempt, .failed(.stalled))
      trace.wait(milliseconds: Int64(pause) - 1)
      #expect(trace.take() == [])
      trace.wait(milliseconds: 1)
      #expect(trace.take() == ["get \(attempt + 1) a/f all"])
    }
    trace.ended(2, .failed(.stalled))
    #expect(trace.take() == ["fail network"])
  }

  @Test
  func `with patience an outage is retried until so long after the last progress, and a refusal as often as ever`() {
    let trace = FileTrace {
      $0.file.tries = 3
      $0.file.patience = .seconds(86_400)
      $0.file.retryWait = .seconds(600)
    }
    _ = trace.take()
    var attempt = 0
    func failUntilTheEnd() -> Duration {
      let began = trace.now
      while trace.failure == nil, trace.now - began < .seconds(200_000) {
        trace.ended(attempt, .failed(.status(attempt % 2 == 0 ? 500 : 502)))
        while trace.failure == nil, trace.take().isEmpty { trace.wait(milliseconds: 50_000) }
        attempt += 1
      }
      return trace.now - began
    }
    // Progress after 20 hours: the time begins anew.
    while trace.now < .zero + .seconds(72_000) {
      trace.ended(attempt, .failed(.stalled))
      while trace.take().isEmpty { trace.wait(milliseconds: 50_000) }
      attempt += 1
    }
    trace.head(attempt, 200, length: 1 << 20)
    trace.advanced(attempt, 100_000)
    #expect((.seconds(86_400)...(.seconds(88_000))).contains(failUntilTheEnd()) && attempt > 100)
    #expect(trace.failure?.code == .network)

    let refused = FileTrace {
      $0.file.tries = 3
      $0.file.patience = .seconds(86_400)
    }
    for id in 0..<3 {
      refused.ended(id, .failed(.protocolViolation(.oversizedHead)))
      refused.wait(milliseconds: 5000)
    }
    #expect(refused.failure != nil)
  }

  @Test func `without a network only this machine is asked, and no try is used up`() {
    for (host, isAsked) in [("a", false), ("localhost", true), ("127.0.0.1", true), ("127.0.0.1.example", false)] {
      let trace = FileTrace(hosts: [host]) { $0.file.tries = 1 }
      #expect(trace.take() == ["get 0 \(host)/f all"])
      trace.control { run, _, _ in run.networkLost() }
      trace.ended(0, .failed(host == "a" ? .stalled : .unknownHost("a")))
      trace.wait(milliseconds: 1_000_000)
      #expect((trace.failure == nil) == !isAsked && trace.take().contains { $0.hasPrefix("get") } == false, "\(host)")
      if isAsked { continue }
      trace.control { run, now, actions in run.networkChanged(now: now, &actions) }
      trace.wait(milliseconds: 100)
      #expect(trace.take() == ["get 1 \(host)/f all"] && trace.failure == nil)
      trace.head(1, 200, length: 1000)
      trace.ended(1, .failed(.stalled))
      #expect(trace.failure?.code == .network)
    }
  }

  @Test func `a transfer that outlives the loss of the network uses up no try when it ends`() {
    let cases: [(String, TransferFault, Bool)] = [
      ("a", .connectTimeout, false), ("a", .stalled, false), ("a", .status(500), true),
      ("localhost", .connectTimeout, true),
    ]
    for (host, fault, isFinal) in cases {
      let trace = FileTrace(hosts: [host]) { $0.file.tries = 1 }
      trace.wait(milliseconds: 1000)
      trace.control { run, _, _ in run.networkLost() }
      trace.wait(milliseconds: 1000)
      trace.control { run, now, actions in run.networkChanged(now: now, &actions) }
      #expect(trace.take() == ["get 0 \(host)/f all"])
      trace.wait(milliseconds: 1000)
      trace.ended(0, .failed(fault))
      #expect((trace.failure != nil) == isFinal, "\(fault)")
      if isFinal { continue }
      // A change without a loss says nothing of what is under way.
      trace.wait(milliseconds: 100)
      trace.control { run, now, actions in run.networkChanged(now: now, &actions) }
      #expect(trace.take() == ["get 1 \(host)/f all"])
      trace.ended(1, .failed(.connectTimeout))
      #expect(trace.failure?.code == .network)
    }
  }

  @Test func `a request on a closed kept connection is repeated at once and is no attempt`() {
    let trace = FileTrace { $0.file.tries = 1 }
    for id in 0..<3 { trace.ended(id, .failed(.keptConnectionClosed)) }
    #expect(trace.take() == (0...3).map { "get \($0) a/f all" })
    trace.ended(3, .failed(.keptConnectionClosed))
    #expect(trace.take() == ["fail network"])
  }

  @Test func `a second connection takes part of the rest, and the first one ends there`() {
    let trace = FileTrace { $0.file.maxConnections = 2 }
    trace.head(0, 200, length: 8 << 20)
    _ = trace.take()
    // At a steady megabyte a second one connection is measured, then a second one is tried.
    var starts: [String] = []
    for tick in 1...20 where starts.isEmpty {
      trace.run.received(TransferID(number: 0), byteCount: 25_000)
      trace.advanced(0, Int64(tick) * 25_000)
      trace.wait(milliseconds: 25)
      starts = trace.take()
    }
    #expect(starts.count == 1)
    let range = trace.run.file(0)!.machine.active.last!.asked
    guard case .range(let asked) = range else { return #expect(Bool(false), "\(range)") }
    trace.head(1, 206, range: asked, of: 8 << 20)
    #expect(trace.take() == ["end 0 at \(asked.lowerBound)"])
    #expect(trace.run.governor(of: FileTrace.location("a").origin)?.active == 2)
  }

  @Test func `a mismatch starts over, for three downloads in all`() {
    let trace = FileTrace(digests: [FileTrace.digest])
    for id in 0..<3 {
      trace.head(id, 200, length: 1000)
      trace.advanced(id, 1000)
      trace.ended(id)
      _ = trace.take()
      trace.mismatched(FileTrace.digest, actual: UInt8(id))
      let said = trace.take()
      #expect(said == (id < 2 ? ["discard", "get \(id + 1) a/f all"] : ["set aside integrity"]))
    }
  }

  @Test func `the same wrong content a second time is final`() {
    let trace = FileTrace(digests: [FileTrace.digest])
    for id in 0..<2 {
      trace.head(id, 200, length: 1000)
      trace.advanced(id, 1000)
      trace.ended(id)
      _ = trace.take()
      trace.mismatched(FileTrace.digest)
      #expect(trace.take() == (id < 1 ? ["discard", "get 1 a/f all"] : ["set aside integrity"]))
    }
  }

  @Test func `a mirror whose content does not match is replaced by another one`() {
    let trace = FileTrace(hosts: ["a", "b"], digests: [FileTrace.digest])
    trace.head(0, 200, length: 1000)
    trace.advanced(0, 1000)
    trace.ended(0)
    _ = trace.take()
    trace.mismatched(FileTrace.digest)
    #expect(trace.take() == ["discard", "get 1 b/f all"])
  }

  /// The whole file arrives, and is not what a server claims.
  private func serveWrong(_ id: Int, _ trace: FileTrace, _ content: UInt8 = 0) {
    trace.head(id, 200, length: 1000)
    trace.advanced(id, 1000)
    trace.ended(id)
    _ = trace.take()
    trace.mismatched(FileTrace.digest, .server, actual: content)
  }

  @Test func `a mirror whose content contradicts the digest of a server twice is replaced by another one`() {
    let trace = FileTrace(hosts: ["a", "b"])
    serveWrong(0, trace)
    #expect(trace.take() == ["discard", "get 1 b/f all"])
    trace.ended(1, .failed(.reset("reset by peer")))
    #expect(trace.take() == ["get 2 a/f all"], "the other one is given a pause")
    serveWrong(2, trace)
    #expect(trace.take() == ["discard"])
    trace.wait(milliseconds: 60_000)
    #expect(trace.take() == ["get 3 b/f all"])
    serveWrong(3, trace, 1)
    #expect(trace.take() == ["discard", "get 4 b/f all"])
    serveWrong(4, trace, 1)
    #expect(trace.take() == ["set aside integrity"])
  }

  @Test func `the same content of two mirrors is final where only servers claim another one`() {
    let trace = FileTrace(hosts: ["a", "b"])
    serveWrong(0, trace)
    #expect(trace.take() == ["discard", "get 1 b/f all"])
    serveWrong(1, trace)
    #expect(trace.take() == ["set aside integrity"])
  }

  @Test func `a mirror with another version waits, and the file continues with the first`() {
    let trace = FileTrace(hosts: ["a", "b"])
    trace.head(0, 200, length: 1_000_000)
    trace.advanced(0, 300_000)
    trace.ended(0, .failed(.reset("x")))
    trace.head(1, 500, length: 0)
    trace.ended(1)
    #expect(trace.take() == ["get 0 a/f all", "adopt 1000000", "get 1 a/f 300000-999999", "get 2 b/f 300000-999999"])
    trace.head(2, 206, range: 300_000..<1_000_000, of: 1_000_000, tag: "other")
    trace.ended(2, .stopped)
    #expect(trace.take() == [])
    trace.wait(milliseconds: 500)
    #expect(trace.take() == ["get 3 a/f 300000-999999"])
  }

  @Test func `an item continues with another host when one is given up`() {
    let trace = FileTrace(hosts: ["a", "b"]) { $0.file.tries = 1 }
    trace.ended(0, .failed(.connectRefused()))
    #expect(trace.take() == ["get 0 a/f all", "get 1 b/f all"])
    trace.ended(1, .failed(.nameLookup("x")))
    #expect(trace.take() == ["fail network"])
  }

  @Test func `when all transfers of a host stall, a single probe checks whether it is reachable`() {
    let trace = FileTrace()
    for item in 1..<6 {
      trace.control { run, now, actions in
        let machine = FileMachine(
          item: ItemHandle(item), mirrors: [FileTrace.location("a", path: "/\(item)")], digests: [],
          expectedLength: nil,
          pieces: nil,
          settings: run.fileSettings, beginning: .fresh, now: now)
        run.add(machine, now: now, &actions)
      }
    }
    #expect(trace.take() == ["get 0 a/f all", "get 1 a/1 all", "get 2 a/2 all", "get 3 a/3 all"])
    for id in 0..<4 { trace.head(id, 200, length: 1000) }
    trace.wait(milliseconds: 31_000)
    _ = trace.take()
    for id in 0..<4 { trace.ended(id, .failed(.stalled)) }
    #expect(trace.take() == ["get 4 a/4 all"])
    trace.wait(milliseconds: 5_000)
    #expect(trace.take() == [])
    #expect(trace.run.awaitedConnections == [TransferID(number: 4)])
    trace.control { run, now, actions in run.reached(TransferID(number: 4), now: now, &actions) }
    #expect(trace.run.awaitedConnections == [])
    #expect(Set(trace.take().map { $0.split(separator: " ")[2] }).count == 3, "all slots of the host")
  }
}
