import Glibc

/// TCP on 127.0.0.1 for tests. The caller closes the descriptors.
package enum LoopbackSocket {
  /// A bound socket and its port, which the kernel chooses for 0. It refuses connections until it listens.
  static func bound(to host: String = "127.0.0.1", port: UInt16 = 0) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = try make()
    var address = loopbackAddress(port: port)
    inet_pton(AF_INET, host, &address.sin_addr)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw TestSupportError.systemCall("bind", code)
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static let given = Locked<Set<UInt16>>([])

  /// A port that was free a moment ago, for a server that binds it itself. The kernel chooses greater ones
  /// (`ip_local_port_range`, ip(7)), so that no connection and no other test's server takes it meanwhile.
  package static func freePort() throws -> UInt16 {
    for _ in 0..<1000 {
      let port = UInt16.random(in: 10_000..<32_768)
      guard given.withLock({ $0.insert(port).inserted }), let socket = try? bound(port: port) else { continue }
      close(socket.descriptor)
      return port
    }
    throw TestSupportError("no port is free")
  }

  /// - Throws: when no socket listens there.
  package static func connected(to port: UInt16) throws -> Int32 {
    let descriptor = try make()
    var address = loopbackAddress(port: port)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw TestSupportError.systemCall("connect to port \(port)", code)
    }
    return descriptor
  }

  /// Sends a request and returns every byte of the answer up to the end of the connection, or to the time limit.
  ///
  /// For a reset connection it returns the bytes before the reset.
  package static func exchange(port: UInt16, _ request: String, seconds: Double = 10) throws -> [UInt8] {
    let descriptor = try connected(to: port)
    defer { close(descriptor) }
    _ = sendAll(descriptor, Array(request.utf8))
    var answer: [UInt8] = []
    let end = monotonicSeconds() + seconds
    while let piece = receive(descriptor, until: end), !piece.isEmpty { answer += piece }
    return answer
  }

  /// The next bytes; empty at the end of the connection or on an error, nil on timeout.
  static func receive(_ descriptor: Int32, until end: Double) -> [UInt8]? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = max(0, min(1e9, (end - monotonicSeconds()) * 1000))
    guard poll(&entry, 1, Int32(milliseconds)) > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }
  }

  /// Sends all bytes. Returns the number of bytes sent, which is lower where the peer has closed.
  static func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let count = send(descriptor, buffer.baseAddress! + sent, buffer.count - sent, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { break }
        sent += count
      }
      return sent
    }
  }

  /// Whether the peer has closed or reset its side.
  static func isClosedByPeer(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
    let count = recv(descriptor, &byte, 1, flags)
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
  }

  private static func make() throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw TestSupportError.systemCall("socket", errno) }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  private static func loopbackAddress(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// A port of 127.0.0.1 that refuses every connection for the lifetime of this object.
package final class RefusingPort: Sendable {
  private let descriptor: Int32
  package let port: UInt16

  package init() throws { (descriptor, port) = try LoopbackSocket.bound() }

  deinit { close(descriptor) }

  /// `path` starts with a slash.
  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
