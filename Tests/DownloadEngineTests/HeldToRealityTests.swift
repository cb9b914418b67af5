import Glibc
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import TestSupport
@testable import DownloadTransport

/// Compares runs of the engine with real servers to runs in a simulated network: times and numbers of connections must
/// agree. `make test` runs these tests first and alone. Other load can disturb a comparison, so one agreement in a few
/// attempts is sufficient.
@Suite(.serialized) struct `Held to reality` {
  /// The result of a run: seconds, and the median number of active connections in its second half.
  private struct Course: CustomStringConvertible {
    var seconds: Double
    var connectionCount: Int

    init(seconds: Double, counts: [Int]) {
      self.seconds = seconds
      let late = counts.dropFirst(counts.count / 2).sorted()
      connectionCount = late.isEmpty ? 0 : late[late.count / 2]
    }

    var description: String { "\(connectionCount) connections, \(seconds) s" }

    /// Within 15 % in both. A difference of one connection is always allowed.
    func agrees(with other: Course) -> Bool {
      abs(seconds / other.seconds - 1) <= 0.15
        && abs(connectionCount - other.connectionCount) <= max(1, other.connectionCount * 15 / 100)
    }
  }

  /// Repeats until the real run agrees with the simulation and `isAsWanted` holds.
  private func expectAgreement(
    _ isAsWanted: (Course) -> Bool, looks: Int = 12, _ look: () throws -> (real: Course, simulated: Course)
  ) throws {
    var seen: [String] = []
    for _ in 0..<looks {
      let (real, simulated) = try look()
      if isAsWanted(real), isAsWanted(simulated), real.agrees(with: simulated) { return }
      seen.append("\(real) instead of \(simulated)")
    }
    Issue.record("\(seen)")
  }

  private func simulated(_ world: NetworkWorld) -> Course {
    let run = NetworkRun(world, seed: 1)
    let seconds = run.play()
    #expect(run.problems.isEmpty)
    return Course(seconds: seconds, counts: run.counts.map(\.count))
  }

  /// - Parameter content: the content of each file.
  private func real(
    _ requests: [FileRequest], of content: Content?, connectionsPerFile: Int = 16
  ) throws -> Course {
    // On tmpfs if possible, because the speed of a disk varies.
    var memory = statvfs()
    let hasMemory = statvfs("/dev/shm", &memory) == 0 && Int(memory.f_bavail) * Int(memory.f_bsize) > 4 << 30
    let directory = try TemporaryDirectory(in: hasMemory ? "/dev/shm" : nil)
    let before = Clock.now()
    let run = try EngineRun(requests, into: directory) {
      $0.target.syncs = false
      $0.file.maxConnections = connectionsPerFile
    }
    let seconds = (Clock.now() - before).inSeconds
    for request in requests {
      #expect(run.error(request.task.position) == nil)
      if let content {
        #expect(try content.firstDifference(inFile: directory.path("\(request.task.position)")) == nil)
      }
    }
    return Course(seconds: seconds, counts: run.observer.progress.map(\.connectionCount))
  }

  @Test func `nginx without limits: more than two connections gain nothing and are not kept`() throws {
    let server = try RealServer.nginx()
    let byteCount: Int64 = 512 << 20
    // A sparse file, which is served from memory.
    #expect(makeHole("\(server.documents)/f", byteCount))
    let requests = [try request(0, server.url("/f"), name: "0")]
    var before = try real(requests, of: nil, connectionsPerFile: 1).seconds
    try expectAgreement({ $0.connectionCount <= 2 }, looks: 30) {
      let course = try real(requests, of: nil)
      // The speed of the machine varies, so it is measured just before and after.
      let after = try real(requests, of: nil, connectionsPerFile: 1).seconds
      defer { before = after }
      var world = NetworkWorld(files: [byteCount])
      world.bandwidth = Double(byteCount) * 2 / (before + after)
      world.roundTrip = 0.000_2
      return (course, simulated(world))
    }
  }

  private func makeHole(_ path: String, _ byteCount: Int64) -> Bool {
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o644)
    defer { close(descriptor) }
    return ftruncate(descriptor, off_t(byteCount)) == 0
  }

  @Test func `all connections together have one rate: no more than two are kept`() throws {
    let content = Content.generated(seed: 1, byteCount: 40_000_000)
    let service = FileService(["/f": content]) { $0.bytesPerSecondOfServer = 20e6 }
    let server = try ScriptedServer(service)
    var world = NetworkWorld(files: [content.byteCount])
    world.bandwidth = 20e6
    try expectAgreement({ $0.connectionCount <= 2 }) {
      let request = try request(0, server.url("/f"), name: "0")
      return (try real([request], of: content), simulated(world))
    }
  }

  @Test func `nginx with a limit for each connection: sixteen pay`() throws {
    let rate = 500_000
    let server = try RealServer.nginx { $0.holdConnections(to: rate) }
    let content = Content.generated(seed: 2, byteCount: 40_000_000)
    try server.serve("f", content)
    var world = NetworkWorld(files: [content.byteCount])
    world.holdConnections(to: rate)
    try expectAgreement({ (14...16).contains($0.connectionCount) }) {
      let request = try request(0, server.url("/f"), name: "0")
      return (try real([request], of: content), simulated(world))
    }
  }

  @Test func `nginx that allows a client two connections: two are used, few requests are refused`() throws {
    let rate = 500_000
    let server = try RealServer.nginx {
      $0.connectionLimit = 2
      $0.holdConnections(to: rate)
    }
    let content = Content.generated(seed: 3, byteCount: 500_000)
    let requests = try (0..<16).map { number in
      try server.serve("\(number)", content)
      return try request(number, server.url("/\(number)"), name: "\(number)")
    }
    var world = NetworkWorld(files: requests.map { _ in content.byteCount })
    world.holdConnections(to: rate)
    world.connectionLimit = 2
    var refused = 0
    try expectAgreement({ $0.connectionCount == 2 }) {
      let course = try real(requests, of: content)
      let refusedNow = try server.requests().count { $0.status == 503 } - refused
      #expect(refusedNow <= 10, "\(refusedNow)")
      refused += refusedNow
      return (course, simulated(world))
    }
  }
}

/// The same burst size in both, because nginx sends the bytes of a second at once.
private let pieceByteCount = 8 << 10

extension RealServer.Configuration {
  fileprivate mutating func holdConnections(to bytesPerSecond: Int) {
    bytesPerSecondOfRequest = bytesPerSecond
    directives = "sendfile_max_chunk \(pieceByteCount);"
  }
}

extension NetworkWorld {
  fileprivate mutating func holdConnections(to bytesPerSecond: Int) {
    bandwidth = 1e9
    connectionPolicer = .init(burst: Double(pieceByteCount), rate: Double(bytesPerSecond), sendsPieces: true)
  }
}
