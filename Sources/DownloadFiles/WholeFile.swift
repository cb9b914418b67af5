internal import Glibc

/// A file that is always replaced as a whole: its name has the old content or the new one, never a part of either.
package enum WholeFile {
  /// What reaches stable storage before `replace` returns.
  package enum Durability: Sendable { case none, content, contentAndName }

  /// Replaces what has the name `path`, be it a symbolic link: that is never written through. An error leaves the old
  /// file, and nothing beside it.
  ///
  /// - Parameters:
  ///   - mode: permission bits, less the umask. Nil is 0666, or the rights of the regular file that is replaced.
  ///   - fill: writes the content, one part after the other.
  package static func replace(
    _ path: [UInt8], mode: UInt32? = nil, durability: Durability,
    fill: (_ write: ([UInt8]) throws(SystemCallError) -> Void) throws(SystemCallError) -> Void
  ) throws(SystemCallError) {
    let (directory, name) = split(path)
    let opened = try OpenDirectory(SystemCalls.workingDirectory, directory)
    let raw = opened.descriptor.raw
    let old = mode == nil ? ReplacedFile(in: raw, name) : nil
    let file = try TemporaryFile(
      in: raw, beside: name, access: O_WRONLY, mode: mode ?? (old == nil ? FileMode.new : FileMode.ownerOnly))
    do throws(SystemCallError) {
      try old?.giveRights(to: file.descriptor.raw)
      let descriptor = file.descriptor.raw
      var offset: Int64 = 0
      try fill { (bytes) throws(SystemCallError) in
        try SystemCalls.pwriteAll(descriptor, bytes, at: offset)
        offset += Int64(bytes.count)
      }
      if durability != .none { try SystemCalls.fdatasync(descriptor) }
      try file.descriptor.close()
      try SystemCalls.renameat(raw, file.name, raw, name, replacing: true)
    } catch {
      try? SystemCalls.unlinkat(raw, file.name)
      throw error
    }
    if durability == .contentAndName { try opened.sync() }
  }

  /// The directory that a directory is in, and its name there.
  ///
  /// - Parameter path: may end in slashes.
  package static func split(directory path: [UInt8]) -> (directory: [UInt8], name: [UInt8]) {
    var trimmed = path
    while trimmed.count > 1, trimmed.last == UInt8(ascii: "/") { trimmed.removeLast() }
    return split(trimmed)
  }

  /// The directory of a path, and the name in it.
  package static func split(_ path: [UInt8]) -> (directory: [UInt8], name: [UInt8]) {
    let slash = UInt8(ascii: "/")
    let end = path.lastIndex(of: slash)
    let directory = end.map { $0 == path.startIndex ? [slash] : Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
    return (directory, Array(path[(end.map { $0 + 1 } ?? path.startIndex)...]))
  }
}
