import Glibc

/// A server, by default on 127.0.0.1, that sends exactly the bytes that a test specifies, when it specifies.
///
/// A handler returns the steps that answer a request. The connection then waits for the next request, unless a step or
/// `Connection: close` from the client ends it. Each connection has a thread. Everything is recorded. The server ends
/// with its last reference.
package final class ScriptedServer: Sendable {
  /// Called on the connection's thread, so possibly for several requests at once.
  package typealias Handler = @Sendable (WireRequest) -> [Step]

  package let port: UInt16
  private let host: String
  private let core: ServerCore

  /// - Parameters:
  ///   - host: an IPv4 address of this machine.
  ///   - connectionLimit: further connections are reset at once.
  package init(host: String = "127.0.0.1", connectionLimit: Int? = nil, handler: @escaping Handler) throws {
    let (descriptor, port) = try LoopbackSocket.bound(to: host)
    self.host = host
    guard listen(descriptor, 512) == 0 else { throw TestSupportError.systemCall("listen", errno) }
    self.port = port
    let core = ServerCore(listener: descriptor, connectionLimit: connectionLimit, handler: handler)
    self.core = core
    startThread { core.acceptConnections() }
  }

  /// A server with a fixed script for each connection, in the order of their arrival; further ones are closed at once.
  ///
  /// `mismatches` lists expected requests that did not arrive as written.
  package convenience init(scripts: [[ScriptLine]]) throws {
    try self.init { _ in [.close] }
    core.scripts.withLock { $0 = scripts }
  }

  /// Answers every request from the service.
  package convenience init(_ service: FileService, connectionLimit: Int? = nil) throws {
    try self.init(connectionLimit: connectionLimit) { service.steps(for: $0) }
  }

  deinit { core.stop() }

  /// Cuts every connection and refuses new ones. Returns when all threads of the server have ended.
  package func stop() { core.stop() }

  /// `path` starts with a slash.
  package func url(_ path: String) -> String { "http://\(host):\(port)\(path)" }

  /// In the order in which their last byte arrived.
  package var requests: [WireRequest] { core.log.withLock { $0.requests } }
  /// The bytes that the system accepted for sending, including heads.
  package var bytesSent: Int64 { core.log.withLock { $0.bytesSent } }
  /// Those of `Step.sendBody` alone, without chunk framing.
  package var bodyBytesSent: Int64 { core.log.withLock { $0.bodyBytesSent } }
  package var connectionCount: Int { core.log.withLock { $0.connectionCount } }
  package var openConnections: Int { core.log.withLock { $0.descriptors.count } }
  package var peakConnections: Int { core.log.withLock { $0.peakConnections } }
  /// The most requests that were being answered at one time.
  package var peakExchanges: Int { core.log.withLock { $0.peakExchanges } }
  /// Messages about expected requests that did not arrive.
  package var mismatches: [String] { core.log.withLock { $0.mismatches } }
}

/// What happened so far on a server.
struct ServerLog {
  var requests: [WireRequest] = []
  var bytesSent: Int64 = 0
  var bodyBytesSent: Int64 = 0
  var connectionCount = 0
  var peakConnections = 0
  var exchanges = 0
  var peakExchanges = 0
  var mismatches: [String] = []
  /// Open connections by their index.
  var descriptors: [Int: Int32] = [:]
  var isStopping = false
  var isAccepting = true
}

/// The part of the server that its threads share. It lives until all of them have ended.
final class ServerCore: Sendable {
  let log = Locked(ServerLog())
  let scripts = Locked<[[ScriptLine]]?>(nil)
  private let listener: Int32
  private let connectionLimit: Int?
  private let handler: ScriptedServer.Handler

  init(listener: Int32, connectionLimit: Int?, handler: @escaping ScriptedServer.Handler) {
    self.listener = listener
    self.connectionLimit = connectionLimit
    self.handler = handler
  }

  var isStopping: Bool { log.withLock { $0.isStopping } }

  func stop() {
    log.withLock { log in
      log.isStopping = true
      // After an earlier stop the number may be that of another file.
      if log.isAccepting { shutdown(listener, Int32(SHUT_RDWR)) }
      for descriptor in log.descriptors.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    _ = eventually { log.withLock { $0.descriptors.isEmpty && !$0.isAccepting } }
  }

  func acceptConnections() {
    defer {
      log.withLock { log in
        _ = close(listener)
        log.isAccepting = false
      }
    }
    while !isStopping {
      var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 1000) > 0 else { continue }
      let descriptor = descriptorGuard.withLock { _ in
        let descriptor = accept(listener, nil, nil)
        if descriptor >= 0 { keepFromChildren(descriptor) }
        return descriptor
      }
      guard descriptor >= 0 else { continue }
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      let index = log.withLock { log -> Int? in
        guard !log.isStopping, log.descriptors.count < connectionLimit ?? .max else { return nil }
        let index = log.connectionCount
        log.connectionCount += 1
        log.descriptors[index] = descriptor
        log.peakConnections = max(log.peakConnections, log.descriptors.count)
        return index
      }
      guard let index else {
        resetConnection(descriptor)
        continue
      }
      startThread { [self] in
        let connection = ServerConnection(core: self, descriptor: descriptor, index: index)
        if let script = scripts.withLock({ $0.map { index < $0.count ? $0[index] : [] } }) {
          connection.play(script)
        } else {
          connection.serve(handler)
        }
      }
    }
  }

  /// Closes with a reset instead of an orderly end.
  private func resetConnection(_ descriptor: Int32) {
    abandonOnClose(descriptor)
    close(descriptor)
  }
}

/// Makes the later close a reset.
func abandonOnClose(_ descriptor: Int32) {
  var option = linger(l_onoff: 1, l_linger: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}
