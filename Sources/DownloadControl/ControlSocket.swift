internal import CSwiftGetShims
internal import DownloadCore
package import DownloadFiles
internal import Glibc

/// Where the process that works on a session listens.
package struct ControlSocket: Hashable, Sendable {
  /// Of the user alone.
  package let directory: [UInt8]
  package let name: [UInt8]

  package init(directory: [UInt8], name: [UInt8]) {
    self.directory = directory
    self.name = name
  }

  /// - Parameter path: absolute; nil for anything else.
  package init?(path: [UInt8]) {
    guard path.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    self.init(directory: Array(path[..<slash]), name: Array(path[(slash + 1)...]))
  }

  package var path: [UInt8] { directory + [UInt8(ascii: "/")] + name }

  /// The place for a session, by the first rule that holds: `$RUNTIME_DIRECTORY`, which systemd gives to a unit;
  /// `$XDG_RUNTIME_DIR/swiftget`; the session's directory if its file system is local; `/tmp/swiftget-UID`.
  ///
  /// - Parameters:
  ///   - session: its directory, absolute.
  ///   - name: of the session; nil if it is not in the user's state directory.
  package static func place(
    session: [UInt8], name: String?, isLocal: Bool, user: UInt32, environment: (String) -> [UInt8]?
  ) -> ControlSocket {
    let slash = UInt8(ascii: "/")
    let last = session.split(separator: slash).last.map { String(decoding: $0, as: UTF8.self) } ?? "session"
    let file = Array(((name ?? "\(last)-\(StableHash.hexadecimal(StableHash.fnv1a(session)))") + ".sock").utf8)
    func absolute(_ variable: String) -> [UInt8]? { environment(variable).flatMap { $0.first == slash ? $0 : nil } }
    // systemd separates several directories by colons.
    if let runtime = absolute("RUNTIME_DIRECTORY")?.split(separator: UInt8(ascii: ":")).first {
      return ControlSocket(directory: Array(runtime), name: file)
    }
    if let runtime = absolute("XDG_RUNTIME_DIR") {
      return ControlSocket(directory: runtime + Array("/swiftget".utf8), name: file)
    }
    if isLocal { return ControlSocket(directory: session, name: file) }
    return ControlSocket(directory: Array("/tmp/swiftget-\(user)".utf8), name: file)
  }

  /// Whether a process listens there, of another session with the same name.
  package var isTaken: Bool {
    var text: [UInt8] = []
    guard inode != nil,
      let table = try? SystemCalls.openat(SystemCalls.workingDirectory, Array("/proc/net/unix".utf8), O_RDONLY)
    else { return false }
    while let part = try? SystemCalls.preadAll(table.raw, limit: 1 << 16, at: Int64(text.count)), !part.isEmpty {
      text += part
    }
    // Num, RefCount, Protocol, Flags (__SO_ACCEPTCON), Type, St, Inode, Path: proc_pid_net(5).
    return text.split(separator: UInt8(ascii: "\n")).contains { line in
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
      return fields.count == 8 && fields[3].elementsEqual("00010000".utf8) && fields[7].elementsEqual(path)
    }
  }

  /// Listens there. Whoever calls has the session, so a socket of that name is one that a killed process has left.
  ///
  /// - Throws: EPERM of fstat if the directory belongs to another user, or others may write to it.
  func listen() throws(SystemCallError) -> FileDescriptor {
    do throws(SystemCallError) {
      try SystemCalls.mkdirat(SystemCalls.workingDirectory, directory, mode: 0o700)
    } catch { if error.errno != EEXIST { throw error } }
    let opened = try open()
    do throws(SystemCallError) { try SystemCalls.unlinkat(opened.raw, name) } catch {
      if !error.isMissing { throw error }
    }
    return try Self.checked(socket_listen, shortPath(opened.raw))
  }

  /// Connects.
  ///
  /// - Throws: ENOENT or ECONNREFUSED if nobody listens there, and as `listen`.
  package func connect() throws(SystemCallError) -> FileDescriptor {
    let opened = try open()
    let socket = try Self.checked(socket_connect, shortPath(opened.raw))
    // The directory keeps others out, and this what the directory does not.
    guard socket_peer_user(socket.raw) == Int(SystemCalls.user) else { throw SystemCallError(.fstat, EPERM) }
    return socket
  }

  /// Removes it.
  func remove() { if let opened = try? open() { try? SystemCalls.unlinkat(opened.raw, name) } }

  /// The inode of the socket's file; nil if there is none.
  var inode: UInt64? {
    guard let opened = try? open() else { return nil }
    return try? SystemCalls.fstatat(opened.raw, name).inode
  }

  private func open() throws(SystemCallError) -> FileDescriptor {
    let opened = try SystemCalls.openat(SystemCalls.workingDirectory, directory, O_RDONLY | O_DIRECTORY)
    let status = try SystemCalls.fstat(opened.raw)
    guard status.owner == SystemCalls.user, status.mode & 0o022 == 0 else { throw SystemCallError(.fstat, EPERM) }
    return opened
  }

  /// The path, or one through the open directory if the path is too long for a socket.
  private func shortPath(_ directory: Int32) -> [UInt8] {
    path.count <= SOCKET_PATH_LENGTH ? path : Array("/proc/self/fd/\(directory)/".utf8) + name
  }

  private static func checked(
    _ call: (UnsafePointer<UInt8>?, Int) -> Int, _ path: [UInt8]
  ) throws(SystemCallError) -> FileDescriptor {
    let result = call(path, path.count)
    guard result >= 0 else { throw SystemCallError(.openat, Int32(truncatingIfNeeded: -result)) }
    return FileDescriptor(owning: Int32(truncatingIfNeeded: result))
  }
}
