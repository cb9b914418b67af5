import Glibc

/// Relays connections to a port of this machine. When cut, it silently drops all data of the existing connections in
/// both directions, like a NAT that has lost its state. New connections are served.
package final class DeafRelay: Sendable {
  package let port: UInt16
  private let core: Core

  package init(to target: UInt16) throws {
    let (listener, port) = try LoopbackSocket.bound()
    guard listen(listener, 512) == 0 else { throw TestSupportError.systemCall("listen", errno) }
    self.port = port
    let core = Core(listener: listener, target: target)
    self.core = core
    startThread { core.acceptConnections() }
  }

  deinit { core.end() }

  /// Connections so far.
  package var connectionCount: Int { core.state.withLock { $0.connectionCount } }
  /// Bytes received from the server so far.
  package var byteCount: Int { core.state.withLock { $0.byteCount } }

  /// Cuts the existing connections.
  package func goDeaf() { core.state.withLock { $0.firstHeard = $0.connectionCount } }

  private final class Core: Sendable {
    struct State {
      var connectionCount = 0
      var byteCount = 0
      /// Connections before this one are dead.
      var firstHeard = 0
      var hasEnded = false
      /// Whether the listener is open.
      var isAccepting = true
    }

    let state = Locked(State())
    private let listener: Int32
    private let target: UInt16

    init(listener: Int32, target: UInt16) {
      self.listener = listener
      self.target = target
    }

    func end() {
      state.withLock { state in
        state.hasEnded = true
        if state.isAccepting { shutdown(listener, Int32(SHUT_RDWR)) }
      }
    }

    func acceptConnections() {
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { break }
        guard let server = try? LoopbackSocket.connected(to: target) else {
          close(client)
          continue
        }
        let number = state.withLock {
          $0.connectionCount += 1
          return $0.connectionCount - 1
        }
        startThread { [self] in
          relay(client, server, number)
          close(client)
          close(server)
        }
      }
      state.withLock { state in
        _ = close(listener)
        state.isAccepting = false
      }
    }

    /// Runs until one side ends; for a cut connection until the relay ends.
    private func relay(_ client: Int32, _ server: Int32, _ number: Int) {
      while true {
        let (isDead, hasEnded) = state.withLock { (number < $0.firstHeard, $0.hasEnded) }
        if hasEnded { return }
        if isDead {
          pause(seconds: 0.05)
          continue
        }
        var entries = [
          pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&entries, 2, 50) > 0 else { continue }
        // The connection may have been cut meanwhile.
        if state.withLock({ number < $0.firstHeard }) { continue }
        for (index, (from, to)) in [(client, server), (server, client)].enumerated() where entries[index].revents != 0 {
          guard let bytes = LoopbackSocket.receive(from, until: monotonicSeconds()), !bytes.isEmpty,
            LoopbackSocket.sendAll(to, bytes) == bytes.count
          else { return }
          if from == server { state.withLock { $0.byteCount += bytes.count } }
        }
      }
    }
  }
}
