import Glibc
import TestSupport
import Testing

/// What a terminal that shows progress in its tab gets (OSC 9;4).
@Suite(.waiting) struct `Progress in the tab of a terminal` {
  private let rig: SessionWorkplace
  private let server: ScriptedServer

  init() throws {
    rig = try SessionWorkplace()
    let half = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    server = try ScriptedServer { request in
      let head = responseHead(200, [("Content-Length", "200000")]) + half
      return request.path == "/ends" ? [.send(head), .stall(.seconds(1)), .send(half)] : [.send(head), .stall(nil)]
    }
  }

  /// What follows `OSC 9;4;`, in its order.
  private func signals(_ text: String) -> [String] {
    text.split(separator: "\u{1b}]9;4;").dropFirst().map { String($0.prefix { $0 != "\u{1b}" }) }
  }

  @Test(arguments: [[], ["-S", "night"]], [nil, SIGINT, SIGTERM, SIGHUP])
  func `is taken back on every way out`(options: [String], signal: Int32?) throws {
    var invocation = try rig.invocation(options + [server.url(signal == nil ? "/ends" : "/stalls")])
    invocation.terminal = (80, 24)
    invocation.environment["TERM"] = "xterm-256color"
    invocation.environment["WT_SESSION"] = "1"
    let program = try SpawnedProgram(invocation)
    #expect(eventually { signals(program.errorSoFar).contains { !$0.hasPrefix("0") } || !program.isRunning })
    if let signal { program.kill(signal) }
    let result = program.wait()
    #expect(result.status == signal.map { $0 == SIGINT ? 130 : 143 } ?? 0, "\(result.told)")
    #expect(signals(result.errorText).contains { $0.hasPrefix("1;") }, "\(signals(result.errorText))")
    #expect(signals(result.errorText).last == "0", "\(signals(result.errorText))")
  }
}
