internal import CShims
internal import Glibc

/// A file that is always replaced as a whole: its name has the old content or the new one, never a part of either.
package enum WholeFile {
  /// What reaches stable storage before `replace` returns.
  package enum Durability: Sendable { case none, content, contentAndName }

  /// Attempts at a temporary name that is free.
  private static let nameAttemptCount = 1000

  /// Replaces what has the name `path`, be it a symbolic link: that is never written through. An error leaves the old
  /// file, and nothing beside it.
  ///
  /// - Parameters:
  ///   - mode: permission bits, less the umask. Nil is 0666, or the mode of the regular file that is replaced.
  ///   - fill: writes the content, one part after the other.
  package static func replace(
    _ path: [UInt8], mode: UInt32? = nil, durability: Durability,
    fill: (_ write: ([UInt8]) throws(SystemCallError) -> Void) throws(SystemCallError) -> Void
  ) throws(SystemCallError) {
    let (directory, name) = split(path)
    let opened = try OpenDirectory(SystemCalls.workingDirectory, directory)
    let raw = opened.descriptor.raw
    for number in 0..<nameAttemptCount {
      let temporary = StoredName.temporary(of: name, process: file_process(), number: number)
      do throws(SystemCallError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        let file = try SystemCalls.openat(raw, temporary, flags, mode: mode ?? FileMode.new)
        do throws(SystemCallError) {
          if mode == nil, let old = try? SystemCalls.fstatat(raw, name), old.kind == .regular {
            try SystemCalls.fchmod(file.raw, mode: old.mode & FileMode.permissions)
          }
          var offset: Int64 = 0
          try fill { (bytes) throws(SystemCallError) in
            try SystemCalls.pwriteAll(file.raw, bytes, at: offset)
            offset += Int64(bytes.count)
          }
          if durability != .none { try SystemCalls.fdatasync(file.raw) }
          try file.close()
          try SystemCalls.renameat(raw, temporary, raw, name, replacing: true)
        } catch {
          try? SystemCalls.unlinkat(raw, temporary)
          throw error
        }
        if durability == .contentAndName { try opened.sync() }
        return
      } catch  where error.call == .openat && error.errno == EEXIST {
        // Of a killed run.
      }
    }
    throw SystemCallError(.openat, EEXIST)
  }

  /// The directory of a path, and the name in it.
  package static func split(_ path: [UInt8]) -> (directory: [UInt8], name: [UInt8]) {
    let slash = UInt8(ascii: "/")
    let end = path.lastIndex(of: slash)
    let directory = end.map { $0 == path.startIndex ? [slash] : Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
    return (directory, Array(path[(end.map { $0 + 1 } ?? path.startIndex)...]))
  }
}
