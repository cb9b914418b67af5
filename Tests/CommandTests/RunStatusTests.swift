import DownloadCore
import DownloadWords
import Testing

@testable import CommandMain

@Suite struct `The status of a run` {
  @Test func `is that of the first failure by precedence, whatever part it comes from`() {
    for (index, worse) in ExitStatus.precedence.enumerated() {
      for other in ExitStatus.precedence[index...] {
        for parts in [(RunStatus.Part.items, RunStatus.Part.exitHook), (.records, .items), (.hooks, .hooks)] {
          var status = RunStatus()
          status.add(other, of: parts.0)
          status.add(worse, of: parts.1)
          #expect(status.status == worse)
        }
      }
    }
  }

  @Test func `is the user's number only if nothing has failed`() {
    var status = RunStatus()
    status.changed = .changed(10)
    status.add(.success, of: .items)
    #expect(status.status == .changed(10))
    status.add(.other, of: .exitHook)
    #expect(status.status == .other && !status.isFaultless(in: [.exitHook]) && status.isFaultless(in: [.items]))
  }

  @Test func `is that of a signal whatever has failed`() {
    var status = RunStatus()
    status.add([.usage, .integrity], of: .items)
    #expect(status.status == .usage)
    status.signal = 2
    #expect(status.status == .interrupted)
    var stopped = RunStatus()
    stopped.add(Failure(.signal(15)), of: .run)
    #expect(stopped.status == .terminated)
  }
}
