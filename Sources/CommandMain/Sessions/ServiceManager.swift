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
}
