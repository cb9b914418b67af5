import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import TestSupport
@testable import Transport

/// The real engine against real servers, beside the simulated one in a simulated network: the numbers of connections
/// must agree. Times are printed for comparison only.
@Suite(.serialized) struct `Connections that are used` {
  /// Runs one file and gives the numbers of connections that were seen at work, each fifth of a second.
  private func counts(_ url: String, _ content: Content, _ world: NetworkWorld) throws -> [Int] {
    let directory = try TemporaryDirectory()
    let before = Clock.now()
    let run = try EngineRun([try request(0, url, name: "f")], into: directory) { $0.syncs = false }
    let seconds = (Clock.now() - before).inSeconds
    #expect(run.error() == nil)
    #expect(try content.firstDifference(inFile: directory.path("f")) == nil)
    var simulated = NetworkRun(world, seed: 1)
    print("\(seconds) s; simulated: \(simulated.play()) s")
    return run.observer.progress.map(\.connectionCount)
  }

  @Test func `where all connections together have one rate, no more than two are kept`() throws {
    let content = Content.generated(seed: 1, byteCount: 40_000_000)
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfServer = 20e6 }
    let server = try ScriptedServer(service)
    var world = NetworkWorld(files: [content.byteCount])
    world.bandwidth = 20e6
    let counts = try counts(server.url("/f"), content, world)
    // Once it has been tried what more of them bring.
    let late = counts.dropFirst(counts.count / 2)
    #expect(late.sorted()[late.count / 2] <= 2, "\(counts)")
  }

  @Test func `where each connection has a rate of its own, sixteen are used`() throws {
    let content = Content.generated(seed: 2, byteCount: 32_000_000)
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfConnection = 1e6 }
    let server = try ScriptedServer(service)
    var world = NetworkWorld(files: [content.byteCount])
    world.connectionRate = 1e6
    let counts = try counts(server.url("/f"), content, world)
    #expect((14...16).contains(counts.max() ?? 0), "\(counts)")
  }

  @Test func `where a client is allowed two, two are used, and few requests are refused`() throws {
    let server = try RealServer.nginx {
      $0.connectionLimit = 2
      $0.bytesPerSecondOfRequest = 2_000_000
    }
    let content = Content.generated(seed: 3, byteCount: 200_000)
    let directory = try TemporaryDirectory()
    let requests = try (0..<200).map { number in
      try server.serve("\(number)", content)
      return try request(number, server.url("/\(number)"), name: "\(number)")
    }
    let run = try EngineRun(requests, into: directory) { $0.syncs = false }
    #expect((0..<200).allSatisfy { run.error($0) == nil })
    for number in 0..<200 { #expect(try content.firstDifference(inFile: directory.path("\(number)")) == nil) }
    let refused = try server.requests().count { $0.status == 503 }
    #expect(refused <= 10, "\(refused)")
    let counts = run.observer.progress.map(\.connectionCount).dropFirst(2)
    #expect(counts.allSatisfy { $0 <= 3 }, "\(counts)")
  }
}
