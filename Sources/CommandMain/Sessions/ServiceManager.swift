internal import CSwiftGetShims
internal import Glibc

/// The manager that has started this process as a service, such as systemd; see sd_notify(3).
enum ServiceManager {
  /// Tells it a state. Without a manager, which `NOTIFY_SOCKET` names, it does nothing.
  ///
  /// - Parameter state: `READY=1` or `STOPPING=1`.
  static func tell(_ state: String) {
    guard let path = getenv("NOTIFY_SOCKET").map({ Array(String(cString: $0).utf8) }), path.count > 1,
      path[0] == UInt8(ascii: "/") || path[0] == UInt8(ascii: "@")
    else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.count < room else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path)
      // An abstract name begins with a zero byte.
      if path[0] == UInt8(ascii: "@") { place[0] = 0 }
    }
    let size = MemoryLayout<sa_family_t>.size + path.count
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let bytes = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(size))
      }
    }
  }

  /// Takes the Unix socket on which the manager has listened for this process (socket activation); see sd_listen_fds(3).
  ///
  /// - Returns: nil if there is none.
  static func takeSocket() -> (descriptor: Int32, path: [UInt8])? {
    func number(_ variable: String) -> Int32? { getenv(variable).flatMap { Int32(String(cString: $0)) } }
    guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), (1...64).contains(count) else {
      return nil
    }
    for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(variable) }
    var found: (descriptor: Int32, path: [UInt8])?
    for descriptor in 3..<3 + count {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      if found == nil, let path = path(ofListening: descriptor) { found = (descriptor, path) }
    }
    return found
  }

  private static func path(ofListening descriptor: Int32) -> [UInt8]? {
    guard socket_listens(descriptor) != 0 else { return nil }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { return nil }
    let path = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
    // Nobody finds a socket without a path.
    return path.first == UInt8(ascii: "/") ? path : nil
  }
}
