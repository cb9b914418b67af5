import Glibc

/// A directory for one test, removed with its content when the last reference goes.
package final class TemporaryDirectory: Sendable {
  /// Absolute, without a trailing slash.
  package let path: String

  /// - Parameter parent: a directory on another file system, such as `/dev/shm`.
  package init(in parent: String? = nil) throws {
    let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/swiftget-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw TestSupportError.systemCall("mkdtemp in \(parent)", errno) }
    path = String(cString: made)
  }

  deinit { removeTree(path) }

  /// The path of a name in the directory.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Names in it, or in a directory below it, sorted; without `.` and `..`.
  package func names(in subdirectory: String = ".") -> [String] { directoryNames(path(subdirectory)).sorted() }

  package func makeDirectory(_ name: String) throws {
    guard mkdir(path(name), 0o755) == 0 else { throw TestSupportError.systemCall("mkdir \(name)", errno) }
  }

  package func write(_ name: String, _ text: String) throws { try Content.text(text).write(to: path(name)) }

  package func write(_ name: String, _ bytes: [UInt8]) throws { try Content.bytes(bytes).write(to: path(name)) }

  package func read(_ name: String) throws -> [UInt8] { try readFile(path(name)) }
}

/// All bytes of a file, even of a file in `/proc`, whose size is 0.
package func readFile(_ path: String) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw TestSupportError.systemCall("open \(path)", errno) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw TestSupportError.systemCall("read \(path)", errno) }
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// Whether the name exists, including as a dangling link.
package func fileExists(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0
}

/// Empty when the directory cannot be read.
package func directoryNames(_ path: String) -> [String] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}

/// Removes a tree. Follows no links; ignores errors.
private func removeTree(_ path: String) {
  var status = stat()
  guard lstat(path, &status) == 0 else { return }
  guard status.st_mode & S_IFMT == S_IFDIR else {
    unlink(path)
    return
  }
  chmod(path, 0o700)
  for name in directoryNames(path) { removeTree("\(path)/\(name)") }
  rmdir(path)
}
