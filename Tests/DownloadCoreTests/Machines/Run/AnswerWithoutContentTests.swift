import Testing

@testable import DownloadCore

/// What answers without content mean for the number of transfers.
@Suite struct `Answers without content` {
  @Test(arguments: [(404, true), (410, true), (302, true), (403, false), (401, false), (500, false), (429, false)])
  func `raise the number of transfers if they are final`(status: Int, isFinal: Bool) throws {
    let trace = FileTrace(hosts: ["a"])
    for item in 1..<60 {
      trace.control { run, now, actions in
        let machine = FileMachine(
          item: ItemHandle(item), mirrors: [FileTrace.location("a", path: "/\(item)")], digests: [],
          expectedLength: nil,
          settings: run.fileSettings, beginning: .fresh, now: now)
        run.add(machine, now: now, &actions)
      }
    }
    let origin = FileTrace.location("a").origin
    #expect(trace.run.governor(of: origin)?.active == HostGovernor.initialLimit)
    for id in 0..<8 {
      trace.head(id, status, length: 0, tag: nil, redirectTo: status == 302 ? "b" : nil)
      trace.ended(id)
    }
    let found = trace.run.governor(of: origin)
    let governor = try #require(found)
    #expect((governor.limit > HostGovernor.initialLimit) == isFinal, "\(governor.limit)")
    #expect(governor.active <= governor.limit && governor.servedCount == 0)
  }

  @Test func `of a distant host raise it as fast as those of short files`() {
    for isContent in [false, true] {
      var governor = HostGovernor(maximum: 64, now: .zero)
      for _ in 0..<4 { governor.started() }
      governor.answered(roundTrip: .milliseconds(100), now: .zero)
      if isContent { governor.succeeded(byteCount: 0) } else { governor.answeredWithoutContent() }
      #expect(governor.limit == 16)
      #expect(governor.servedCount == (isContent ? 1 : 0))
    }
  }

  @Test func `of a close host raise it when they end`() {
    var governor = HostGovernor(maximum: 64, now: .zero)
    governor.started()
    governor.answered(roundTrip: .milliseconds(1), now: .zero)
    governor.answeredWithoutContent()
    #expect(governor.limit == HostGovernor.initialLimit)
    for _ in 0..<3 { governor.started() }
    governor.ended(isShort: false, lacksContent: true, now: .zero)
    #expect(governor.limit == HostGovernor.initialLimit + 1 && governor.servedCount == 0)
  }
}
