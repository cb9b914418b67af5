import CSwiftGetShims
import DownloadCore
import DownloadFiles
import DownloadJSON
import Glibc
import TestSupport
import Testing

@testable import DownloadControl

/// Answers `echo` with its parameter, `late` never, and `news` by telling so many.
private final class EchoHandler: ControlHandler {
  /// 100 KB of JSON.
  private static let text = [0x22] + [UInt8](repeating: UInt8(ascii: "x"), count: 100_000) + [0x22]
  let server = Locked<ControlServer?>(nil)
  let missed = Locked<Set<ControlClientID>>([])
  let left = Locked<Set<ControlClientID>>([])
  let clients = Locked<[ControlClientID]>([])

  func called(
    _ request: ControlRequest, by client: ControlClientID,
    answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void
  ) {
    clients.withLock { if !$0.contains(client) { $0.append(client) } }
    switch request.method {
    case "echo": answer(.success(JSONObject.quoted(request.parameters?["text"]?.text ?? [])))
    case "late": break
    case "news":
      let server = server.withLock { $0 }
      for number in 0..<(request.parameters?["count"]?.integer ?? 0) {
        var object = JSONObject()
        object.add("number", number)
        object.add("text", verbatim: Self.text)
        server?.tell([client], "news", object)
      }
      answer(.success(Array("true".utf8)))
    default: answer(.failure(.unknownMethod(request.method)))
    }
  }

  let moved = Lock<ControlSocket?>(nil)
  func moved(to socket: ControlSocket) { moved.withLock { $0 = socket } }

  func missedNews(_ client: ControlClientID) { missed.withLock { _ = $0.insert(client) } }
  func left(_ client: ControlClientID) { left.withLock { _ = $0.insert(client) } }
}

@Suite(.waiting) struct `Control server` {
  private let temporary: TemporaryDirectory
  private let place: ControlSocket
  private let handler = EchoHandler()
  private let server: ControlServer

  init() throws {
    temporary = try TemporaryDirectory()
    place = ControlSocket(directory: Array(temporary.path("run").utf8), name: Array("s.sock".utf8))
    server = try ControlServer(at: place, program: "test", generation: 4, handler: handler)
    handler.server.withLock { [server] in $0 = server }
  }

  private func echo(_ client: ControlClient, _ text: String) throws -> String? {
    var parameters = JSONObject()
    parameters.add("text", text)
    return try client.call("echo", parameters, patience: .seconds(60)).text.map { String(decoding: $0, as: UTF8.self) }
  }

  private func waitUntil(_ condition: () throws -> Bool) rethrows {
    while try !condition() { usleep(2000) }
  }

  private func news(_ client: ControlClient, _ count: Int64) throws {
    var parameters = JSONObject()
    parameters.add("count", count)
    _ = try client.call("news", parameters, patience: .seconds(60))
  }

  @Test func `answers each client, and tells who it is`() throws {
    let clients = try (0..<3).map { _ in try ControlClient(to: place) }
    #expect(clients[0].greeting == ControlClient.Greeting(program: "test", process: Int64(getpid()), generation: 4))
    for (number, client) in clients.enumerated() { #expect(try echo(client, "c\(number)") == "c\(number)") }
    #expect(throws: ControlClient.Problem.refused(.unknownMethod("nothing"))) { try clients[1].call("nothing") }
    #expect(throws: ControlClient.Problem.timedOut) { try clients[1].call("late", patience: .milliseconds(50)) }
    #expect(try echo(clients[1], "again") == "again")
    server.stop()
    #expect(throws: ControlClient.Problem.closed) { try echo(clients[2], "c") }
    #expect(handler.left.withLock { $0.count } == 3)
    #expect(temporary.names(in: "run").isEmpty)
  }

  @Test func `a socket is its user's alone`() throws {
    var status = stat()
    #expect(lstat(temporary.path("run/s.sock"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(lstat(temporary.path("run"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    server.stop()
    #expect(chmod(temporary.path("run"), 0o777) == 0)
    let refused = SystemCallError(.fstat, EPERM)
    #expect(throws: refused) { try ControlServer(at: place, program: "", generation: 1, handler: handler) }
    #expect(throws: ControlClient.Problem.notConnected(refused)) { try ControlClient(to: place) }
  }

  @Test func `one client too many is refused with words, until one goes`() throws {
    var clients = try (0..<ControlProtocol.mostClients).map { _ in try ControlClient(to: place) }
    #expect(throws: ControlClient.Problem.refused(.tooManyClients)) { try ControlClient(to: place) }
    clients.removeLast()
    waitUntil { handler.left.withLock { !$0.isEmpty } || (try? ControlClient(to: place)) != nil }
    #expect(try echo(clients[0], "x") == "x")
    server.stop()
  }

  @Test func `clients that send nonsense, die, flood or do not read hold nobody up`() throws {
    let good = try ControlClient(to: place)
    var random = SeededGenerator(seed: Fuzz.seed)
    // Kept open.
    final class Socket {
      let descriptor: FileDescriptor
      init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }
    var sockets: [Socket] = []
    for kind in 0..<20 {
      let socket = Socket(try place.connect())
      let hello = ControlRequest.line(id: 1, method: "hello", parameters: Self.helloParameters)
      switch kind % 4 {
      case 0:
        let noise = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        _ = socket_send(socket.descriptor.raw, noise, noise.count)
      case 1:
        // Dies in the middle of a line of many.
        let lines = hello + (0..<2000).flatMap { ControlRequest.line(id: $0, method: "echo", parameters: nil) }
        _ = socket_send(socket.descriptor.raw, lines, lines.count - 7)
      case 2:
        // Asks for much, and reads nothing.
        var parameters = JSONObject()
        parameters.add("count", 200)
        let lines = hello + ControlRequest.line(id: 2, method: "news", parameters: parameters)
        _ = socket_send(socket.descriptor.raw, lines, lines.count)
        sockets.append(socket)
      default: sockets.append(socket)
      }
      #expect(try echo(good, "k\(kind)") == "k\(kind)")
    }
    withExtendedLifetime(sockets.count) {}
    #expect(try echo(good, "end") == "end")
    server.stop()
  }

  private static var helloParameters: JSONObject {
    var parameters = JSONObject()
    parameters.add("protocol", ControlProtocol.version)
    return parameters
  }

  @Test func `news come in order, and a gap is told`() throws {
    let client = try ControlClient(to: place)
    try news(client, 30)
    for number in 0..<30 {
      let next = try client.nextNews(patience: .seconds(60))
      #expect(next.method == "news" && next.parameters["number"]?.integer == Int64(number))
    }
    // More than a client may leave unread, and sent before it reads: what the kernel takes is much less.
    try news(client, 200)
    var numbers: [Int64] = []
    while true {
      let next = try client.nextNews(patience: .seconds(60))
      if next.method == "gap" { break }
      numbers.append(try #require(next.parameters["number"]?.integer))
    }
    #expect(numbers == Array(0..<Int64(numbers.count)) && numbers.count < 200)
    waitUntil { handler.missed.withLock { $0.count } == 1 }
    try news(client, 1)
    #expect(try client.nextNews(patience: .seconds(60)).parameters["number"]?.integer == 0)
    server.stop()
  }

  @Test func `a socket that somebody removes is made again, and connections stay`() throws {
    let client = try ControlClient(to: place)
    #expect(unlink(temporary.path("run/s.sock")) == 0)
    waitUntil { (try? ControlClient(to: place)) != nil }
    #expect(try echo(client, "x") == "x")
    server.stop()
    #expect(temporary.names(in: "run").isEmpty)
  }

  @Test func `if its directory is gone it listens at the other place, and says so`() throws {
    server.stop()
    let other = ControlSocket(directory: Array(temporary.path("other").utf8), name: Array("o.sock".utf8))
    for name in ["user", "user/swiftget"] { #expect(mkdir(temporary.path(name), 0o700) == 0) }
    let place = ControlSocket(directory: Array(temporary.path("user/swiftget").utf8), name: Array("s.sock".utf8))
    let again = try ControlServer(at: place, or: other, program: "again", generation: 5, handler: handler)
    let client = try ControlClient(to: place)
    // As at a log-out, which takes the directories above away, too.
    #expect(rename(temporary.path("user"), temporary.path("gone")) == 0)
    #expect(unlink(temporary.path("gone/swiftget/s.sock")) == 0)
    waitUntil { (try? ControlClient(to: other)) != nil }
    #expect(try ControlClient(to: other).greeting.program == "again" && echo(client, "x") == "x")
    waitUntil { handler.moved.withLock { $0 } == other }
    // From there it goes back to the first place if that can be made again.
    #expect(mkdir(temporary.path("user"), 0o700) == 0)
    #expect(unlink(temporary.path("other/o.sock")) == 0)
    waitUntil { (try? ControlClient(to: place)) != nil }
    waitUntil { handler.moved.withLock { $0 } == place }
    again.stop()
    #expect(temporary.names(in: "user/swiftget").isEmpty && temporary.names(in: "other").isEmpty)
  }

  @Test func `a client that wants another session is told that nobody works on it`() throws {
    server.stop()
    for name in ["a", "a/night", "b", "b/night"] { #expect(mkdir(temporary.path(name), 0o700) == 0) }
    #expect(symlink("a", temporary.path("link")) == 0)
    func path(_ name: String) -> [UInt8] { Array(temporary.path(name).utf8) }
    let again = try ControlServer(
      at: place, program: "again", generation: 5, session: path("a/night"), handler: handler)
    for name in ["a/night", "link/night"] {
      #expect(try ControlClient(to: place, ofSession: path(name)).greeting.generation == 5, "\(name)")
    }
    for name in ["b/night", "c/night"] {
      #expect(throws: ControlClient.Problem.closed, "\(name)") { try ControlClient(to: place, ofSession: path(name)) }
    }
    again.stop()
    // One that is not seen here may be the same by another name, and an earlier version says nothing.
    for session in [path("elsewhere/night"), nil] {
      let last = try ControlServer(at: place, program: "last", generation: 6, session: session, handler: handler)
      #expect(try ControlClient(to: place, ofSession: path("b/night")).greeting.generation == 6)
      last.stop()
    }
  }

  @Test func `a place is taken while a process listens there`() throws {
    #expect(place.isTaken)
    server.stop()
    // A child that another test starts has the socket until it is another program.
    #expect(eventually { !place.isTaken })
    let bound = try place.listen()
    #expect(place.isTaken)
    withExtendedLifetime(bound.raw) {}
    _ = consume bound
    #expect(eventually { !place.isTaken } && temporary.names(in: "run") == ["s.sock"])
  }

  @Test func `one that a killed process has left is replaced`() throws {
    server.stop()
    let left = try place.listen()
    let again = try ControlServer(at: place, program: "again", generation: 5, handler: handler)
    #expect(try ControlClient(to: place).greeting.generation == 5)
    again.stop()
    withExtendedLifetime(left.raw) {}
  }

  @Test func `a socket that was passed stays`() throws {
    server.stop()
    let passed = try place.listen()
    #expect(socket_listens(passed.raw) == 1)
    let again = try ControlServer(inherited: passed, program: "passed", generation: 5, handler: handler)
    #expect(try ControlClient(to: place).greeting.program == "passed")
    again.stop()
    #expect(temporary.names(in: "run") == ["s.sock"])
  }

  @Test func `a path may be longer than a socket's`() throws {
    server.stop()
    let long = ControlSocket(
      directory: Array(temporary.path(String(repeating: "d", count: 200)).utf8), name: Array("s.sock".utf8))
    let again = try ControlServer(at: long, program: "long", generation: 1, handler: handler)
    #expect(try ControlClient(to: long).greeting.program == "long")
    again.stop()
    #expect(throws: ControlClient.Problem.self) { try ControlClient(to: long) }
  }

  @Test func `nobody listens`() throws {
    server.stop()
    #expect(throws: ControlClient.Problem.notConnected(SystemCallError(.openat, ENOENT))) {
      try ControlClient(to: place)
    }
  }

  @Test func `has a place by the environment`() {
    func path(_ variables: [String: String], name: String? = "night", isLocal: Bool = true) -> String {
      let place = ControlSocket.place(session: Array("/s/night".utf8), name: name, isLocal: isLocal, user: 7) {
        variables[$0].map { Array($0.utf8) }
      }
      return String(decoding: place.path, as: UTF8.self)
    }
    #expect(path(["RUNTIME_DIRECTORY": "/run/a:/run/b", "XDG_RUNTIME_DIR": "/x"]) == "/run/a/night.sock")
    #expect(path(["XDG_RUNTIME_DIR": "/x"]) == "/x/swiftget/night.sock")
    #expect(path(["XDG_RUNTIME_DIR": "x"]) == "/s/night/night.sock")
    #expect(path([:], isLocal: false) == "/tmp/swiftget-7/night.sock")
    let other = path([:], name: nil)
    #expect(other.hasPrefix("/s/night/night-") && other.utf8.count == "/s/night/night-".utf8.count + 21)
  }
}
