import DownloadCore
import DownloadJSON
import TestSupport
import Testing

@testable import CommandControl

@Suite(.waiting) struct `The way to a session` {
  /// A process that answers with the parameters, or one that ends its work and refuses calls.
  private final class Connection: ControlConnection {
    let worker: Int64?
    let isEnding: Bool

    init(worker: Int64, isEnding: Bool) { (self.worker, self.isEnding) = (worker, isEnding) }

    func begin(
      _ method: String, _ parameters: JSONObject
    ) throws(ControlFailure) -> () throws(ControlFailure) -> JSONValue {
      { [self] () throws(ControlFailure) in
        guard !isEnding, case .success(let value) = JSONValue.parse(parameters.text[...]) else {
          throw ControlFailure(.store, "the session is closed", isLost: true)
        }
        return value
      }
    }

    func close() {}
  }

  @Test func `a call is repeated until the process has ended that refuses it`() throws {
    let home = try TemporaryDirectory()
    var refusals = 5
    let link = try SessionLink(SessionFinder("night", in: home.path)) { () throws(ControlFailure) in
      refusals -= 1
      return refusals < 0 ? Connection(worker: 2, isEnding: false) : Connection(worker: 1, isEnding: true)
    }
    #expect(try link.call("add") { $0.add("priority", Int64(3)) }["priority"]?.integer == 3)
    #expect(link.worker == 2)
  }

  @Test func `calls that have begun are repeated in their order if the process ends`() throws {
    let home = try TemporaryDirectory()
    var connections = [Connection(worker: 2, isEnding: false), Connection(worker: 1, isEnding: true)]
    let link = try SessionLink(SessionFinder("night", in: home.path)) { () throws(ControlFailure) in
      connections.count == 1 ? connections[0] : connections.removeLast()
    }
    let answers = try (0..<3).map { number in try link.begin("add") { $0.add("priority", Int64(number)) } }
    #expect(try answers.map { try $0()["priority"]?.integer } == [0, 1, 2])
    #expect(link.worker == 2)
  }

  @Test func `a call that may have been obeyed, and is another one when repeated, is not`() throws {
    let home = try TemporaryDirectory()
    let link = try SessionLink(SessionFinder("night", in: home.path)) { () throws(ControlFailure) in
      Connection(worker: 1, isEnding: true)
    }
    #expect(throws: ControlFailure.self) { try link.call("stop", isRepeatable: false) }
    #expect(link.worker == 1)
  }
}
