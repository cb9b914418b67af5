import TestSupport
import Testing

@Suite(
  .serialized,
  .enabled(if: SeparateNetwork.isPermitted, "no network namespace with a veth pair here: needs root and iproute2"))
struct `A network that is lost` {
  private static let impatient = ["-T", "1", "--retry-wait", "0.5"]
  private let network: SeparateNetwork
  private let server: ScriptedServer
  private let service: FileService
  private let place: Workplace
  private let names = ["a", "b", "c", "d", "e", "f"]

  init() throws {
    network = try SeparateNetwork()
    place = try Workplace()
    let files = names.enumerated().map { ("/\($1)", Content.generated(seed: UInt64($0 + 1), byteCount: 1_500_000)) }
    service = FileService(Dictionary(uniqueKeysWithValues: files)) { $0.bytesPerSecondOfServer = 4e6 }
    let service = service
    server = try ScriptedServer(host: network.host) { service.steps(for: $0) }
  }

  private func start(tries: Int, connectTimeout: Int = 1) throws -> SpawnedProgram {
    let urls = names.map { server.url("/" + $0) }
    let limits = ["-t", "\(tries)", "--connect-timeout", "\(connectTimeout)"]
    let invocation = try place.invocation(Self.impatient + limits + urls)
    return try SpawnedProgram(network.inside(invocation))
  }

  private func expectAllRight() {
    for (index, name) in names.enumerated() {
      #expect(place.holds(name, .generated(seed: UInt64(index + 1), byteCount: 1_500_000)), "\(name)")
    }
    #expect(place.names == names)
  }

  /// If the connect timeout is longer than the stall timeout, the latter ends the probe, and the host still counts as
  /// unreachable.
  @Test(arguments: [1, 20])
  func `for a while is waited out with one probe per backoff step`(connectTimeout: Int) throws {
    let program = try start(tries: 60, connectTimeout: connectTimeout)
    #expect(eventually { server.bodyBytesSent > 1_000_000 })
    try network.disconnect()
    // Connections that were just being opened are not counted. Later ones are, including the probe after all
    // connections have stalled.
    pause(seconds: 0.5)
    let before = try network.attemptedConnections()
    let began = ContinuousClock.now
    var tried: [Int] = []
    for _ in 0..<80 {
      tried.append(try network.connectionsBeingTried())
      pause(seconds: 0.05)
    }
    // A probe is not refused, so it takes its second. Without a shared probe six files would make six at a time.
    #expect(tried.dropFirst(30).max() == 1, "\(tried)")
    // One for each second, and one or two for each file that were being opened.
    let steps = Int((ContinuousClock.now - began) / .seconds(1)) + 8
    let probes = try network.attemptedConnections() - before
    #expect((1...steps).contains(probes), "\(probes) connections tried")
    #expect(program.isRunning, "\(program.errorSoFar)")
    try network.connect()
    let result = program.wait()
    #expect(result.status == 0, "\(result.told)")
    expectAllRight()
  }

  @Test func `is waited for by a session, without a try`() throws {
    let sessions = try TemporaryDirectory()
    let urls = names.map { server.url("/" + $0) }
    func invocation(_ arguments: [String]) throws -> ProgramInvocation {
      var invocation = ProgramInvocation(try swiftgetPath(), arguments)
      invocation.directory = place.directory.path
      return invocation
    }
    let work = ["-S", "night", "--session-dir", sessions.path]
    // Longer than anything takes on a busy machine: a fault before the loss, or after the return, would be final.
    let limits = ["-t", "1", "--connect-timeout", "30", "-T", "10"]
    let program = try SpawnedProgram(network.inside(invocation(work + limits + urls)))
    #expect(eventually { server.bodyBytesSent > 1_000_000 })
    try network.disconnect()
    func waits() throws -> Bool {
      try SpawnedProgram(invocation(["ctl"] + work + ["list", "--json"])).wait().outputText.contains("for the network")
    }
    #expect(eventually { (try? waits()) ?? false })
    let before = try network.attemptedConnections()
    pause(seconds: 4)
    #expect(try network.attemptedConnections() == before && program.isRunning)
    try network.connect()
    let result = program.wait()
    #expect(result.status == 0, "\(result.told)")
    for (index, name) in names.enumerated() {
      #expect(place.holds(name, .generated(seed: UInt64(index + 1), byteCount: 1_500_000)), "\(name)")
    }
  }

  @Test func `for good ends the run, which can be continued`() throws {
    let program = try start(tries: 3)
    #expect(eventually { server.bodyBytesSent > 1_000_000 })
    try network.disconnect()
    let result = program.wait()
    #expect(result.status == 4 && !result.timedOut, "\(result.told)")
    #expect(result.errorText.contains("hint: run the same command again to resume"), "\(result.told)")
    let before = server.bodyBytesSent
    try network.connect()
    service.change { $0.bytesPerSecondOfServer = nil }
    let second = try start(tries: 3).wait()
    #expect(second.status == 0, "\(second.told)")
    expectAllRight()
    // Recorded bytes of the first run are not fetched again.
    #expect(server.bodyBytesSent - before < 9_000_000)
  }
}
