internal import DownloadCore
package import DownloadEngine
internal import DownloadFiles
internal import DownloadHashing
package import DownloadListWriting
package import DownloadScratch
internal import Glibc

/// Makes a BagIt bag of a tree: a new directory with copies of the files. The bag gets its name when it is whole.
package struct BagCopy {
  private let source: TargetDirectory
  private let parent: TargetDirectory
  /// The user's path of the bag.
  private let path: [UInt8]
  private let name: [UInt8]
  private let temporary: [UInt8]
  private static let blockByteCount = 256 << 10

  /// - Parameter path: of the bag. Nothing may have this name.
  package init(of tree: LocalTree, at path: [UInt8]) throws(FileFailure) {
    source = tree.directory
    self.path = path
    let (directory, name) = WholeFile.split(directory: path)
    self.name = name
    temporary = TargetName.fitted(
      [UInt8(ascii: ".")] + name, suffix: Array(".\(getpid())-0".utf8) + TargetName.temporarySuffix)
    do { parent = try TargetDirectory.open(path: directory, creating: false) } catch { throw FileFailure(error) }
    if (try? SystemCalls.fstatat(parent.base.raw, name)) != nil {
      throw FileFailure(path, .failed(.create, errno: EEXIST))
    }
  }

  /// - Returns: false if a signal that ends the run came first; nothing is left then.
  package func make(
    _ files: [HashedFile], _ bag: BagFiles, syncs: Bool, hearing signals: SignalWatch
  ) throws(FileFailure) -> Bool {
    try perform(.create, path) { () throws(SystemCallError) in
      try SystemCalls.mkdirat(parent.base.raw, temporary, mode: 0o777)
    }
    do throws(FileFailure) {
      let root: TargetDirectory
      do { root = try TargetDirectory.open(path: temporary, relativeTo: parent, creating: false) } catch {
        throw FileFailure(error)
      }
      try perform(.create, path) { () throws(SystemCallError) in
        try SystemCalls.mkdirat(root.base.raw, BagFiles.payload, mode: 0o777)
      }
      for file in files {
        signals.take()
        if signals.ending != nil { break }
        try add(file, to: root, hearing: signals)
      }
      if signals.ending == nil {
        for file in bag.tagFiles {
          try perform(.write, file.name) { () throws(SystemCallError) in
            try NewFile.write(file.content, file.name, in: root.base.raw, syncs: false)
          }
        }
        try perform(.sync, path) { () throws(SystemCallError) in
          if syncs { try SystemCalls.syncFileSystem(root.base.raw) }
        }
        try perform(.move, path) { () throws(SystemCallError) in
          try FileTree.move(parent.base.raw, temporary, to: name)
          if syncs { try parent.base.sync() }
        }
        return true
      }
    } catch {
      try? FileTree.remove(temporary, in: parent.base.raw)
      throw error
    }
    try? FileTree.remove(temporary, in: parent.base.raw)
    return false
  }

  private func add(
    _ file: HashedFile, to root: TargetDirectory, hearing signals: SignalWatch
  ) throws(FileFailure) {
    let components = file.name.split(separator: UInt8(ascii: "/")).map(Array.init)
    let to: TargetPlace
    do { to = try root.resolve([BagFiles.payload] + components) } catch {
      throw FileFailure(file.name, .failed(.create, errno: error.cause.errno))
    }
    do throws(FileProblem) { try copy(components, to: to, file, hearing: signals) } catch {
      throw FileFailure(file.name, error)
    }
  }

  private func copy(
    _ components: [[UInt8]], to: TargetPlace, _ file: HashedFile, hearing signals: SignalWatch
  ) throws(FileProblem) {
    let original = try LocalFile(.listed(components), in: source)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockByteCount, alignment: 4096)
    defer { block.deallocate() }
    var position: Int64 = 0
    do throws(SystemCallError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let copied = try SystemCalls.openat(to.directory.raw, to.name, flags, mode: original.status.mode & 0o777)
      while true {
        signals.take()
        if signals.ending != nil { return }
        let count = try SystemCalls.pread(original.descriptor.raw, into: block, at: position)
        if count == 0 { break }
        try SystemCalls.pwriteAll(copied.raw, UnsafeRawBufferPointer(rebasing: block[..<count]), at: position)
        position += Int64(count)
      }
      try SystemCalls.futimens(copied.raw, modified: original.status.modified)
      try copied.close()
    } catch {
      throw .failed(error.call == .pread ? .read : .write, errno: error.errno)
    }
    guard position == file.length else { throw .changed }
    try original.requireUnchanged(length: position)
  }

  private func perform(
    _ operation: FileProblem.Operation, _ name: [UInt8], _ body: () throws(SystemCallError) -> Void
  ) throws(FileFailure) {
    do { try body() } catch { throw FileFailure(name, .failed(operation, errno: error.errno)) }
  }
}
