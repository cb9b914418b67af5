internal import DownloadCore

/// Reads a `FileTree` one file after the other, in no order, so that none need be held in memory.
package struct FileWalk {
  package enum Entry: Hashable, Sendable {
    case file(FileTree.File)
    case leftOut(FileTree.LeftOut)
  }

  /// A directory that is being read.
  private struct Level {
    let stream: DirectoryStream
    /// With a slash at its end; empty for the tree's directory.
    let path: [UInt8]
    /// A name that does not count here.
    let excluded: [UInt8]?
  }

  /// The open directories, each within the one before. A tree that is too deep ends with EMFILE.
  private var levels: [Level] = []
  private let exclusion: FileTree.Exclusion?

  package init(_ directory: DirectoryHandle, excluding exclusion: FileTree.Exclusion? = nil) throws(FileTree.Fault) {
    self.exclusion = exclusion
    try open([UInt8(ascii: ".")], in: directory.raw, path: [])
  }

  /// The next file or what is left out; nil at the end.
  ///
  /// - Throws: what cannot be read. The walk is over then.
  package mutating func next() throws(FileTree.Fault) -> Entry? {
    while let level = levels.last {
      let name: [UInt8]?
      do throws(SystemCallError) { name = try level.stream.next() } catch {
        throw FileTree.Fault(name: Array(level.path.dropLast()), cause: error)
      }
      guard let name else {
        levels.removeLast()
        continue
      }
      if name != level.excluded, let entry = try entry(name, in: level) { return entry }
    }
    return nil
  }

  /// Nil for a directory, which is opened, and for a file that does not count.
  private mutating func entry(_ name: [UInt8], in level: Level) throws(FileTree.Fault) -> Entry? {
    let whole = level.path + name
    let status: FileStatus
    do throws(SystemCallError) { status = try SystemCalls.fstatat(level.stream.descriptor, name) } catch {
      throw FileTree.Fault(name: whole, cause: error)
    }
    if case .file(let other) = exclusion, status.isSameFile(as: other) { return nil }
    if TargetName.isReserved(name) { return .leftOut(FileTree.LeftOut(name: whole, reason: .reservedName)) }
    switch status.kind {
    case .regular: return .file(FileTree.File(name: whole, length: status.size))
    case .symbolicLink: return .leftOut(FileTree.LeftOut(name: whole, reason: .symbolicLink))
    case .special: return .leftOut(FileTree.LeftOut(name: whole, reason: .special))
    case .directory:
      try open(name, in: level.stream.descriptor, path: whole + [UInt8(ascii: "/")])
      return nil
    }
  }

  private mutating func open(_ name: [UInt8], in parent: Int32, path: [UInt8]) throws(FileTree.Fault) {
    do throws(SystemCallError) {
      let stream = try DirectoryStream(name, in: parent)
      var excluded: [UInt8]?
      if case .name(let name, let directory) = exclusion,
        try SystemCalls.fstat(stream.descriptor).isSameFile(as: directory)
      {
        excluded = name
      }
      levels.append(Level(stream: stream, path: path, excluded: excluded))
    } catch {
      throw FileTree.Fault(name: Array(path.dropLast()), cause: error)
    }
  }
}

extension FileTree {
  /// Reads the tree.
  ///
  /// - Throws: what cannot be read; a tree is complete or an error.
  package init(_ directory: DirectoryHandle, excluding exclusion: Exclusion? = nil) throws(Fault) {
    var walk = try FileWalk(directory, excluding: exclusion)
    var files: [File] = []
    var leftOut: [LeftOut] = []
    while let entry = try walk.next() {
      switch entry {
      case .file(let file): files.append(file)
      case .leftOut(let other): leftOut.append(other)
      }
    }
    files.sort { $0.name.lexicographicallyPrecedes($1.name) }
    leftOut.sort { $0.name.lexicographicallyPrecedes($1.name) }
    self.init(files: files, leftOut: leftOut)
  }
}
