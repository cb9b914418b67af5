internal import DownloadCore
internal import DownloadFiles
package import DownloadListWriting
package import DownloadScratch
internal import Glibc

/// Turns a directory into a BagIt bag. Nothing is copied: its entries move under `data`.
///
/// Steps, each of which can be interrupted and is continued by the next run:
///
///     entries ──► data.swiftget-tmp/    everything moves there, one entry after the other
///     tag files ──► NAME.swiftget-tmp   written and synced, when nothing else is left to move
///     data.swiftget-tmp ──► data        from here on, what is in data is the payload
///     NAME.swiftget-tmp ──► NAME        bagit.txt last: it makes the directory a bag
package struct BagInPlace {
  /// How far an earlier run came.
  private enum Stage {
    /// Entries are in the directory, or in the staging directory already.
    case moving
    /// All entries are in `data`; tag files may lack their names.
    case moved
  }

  package enum Refusal: Error, Hashable, Sendable {
    case failed(FileFailure)
    /// There is a `bagit.txt` and a `data` directory.
    case isBag
    /// The bag would hold what its manifest cannot list.
    case unlisted([LeftOutFile])
    /// An entry is in the directory, and also where an earlier run has moved it.
    case collision([UInt8])
  }

  package private(set) var tree: LocalTree
  private let stage: Stage
  private var raw: Int32 { tree.directory.base.raw }

  private static let staging = temporary(BagFiles.payload)
  private static let slash = UInt8(ascii: "/")

  /// Finds the payload.
  package init(_ root: [UInt8]) throws(Refusal) {
    do throws(FileFailure) { tree = try LocalTree(unread: root) } catch { throw .failed(error) }
    let raw = tree.directory.base.raw
    func kind(_ name: [UInt8]) -> FileStatus.Kind? { (try? SystemCalls.fstatat(raw, name))?.kind }
    if kind(Self.staging) == nil, kind(BagFiles.payload) == .directory {
      if kind(BagFiles.declaration) == .regular { throw .isBag }
      stage = kind(Self.temporary(BagFiles.declaration)) == .regular ? .moved : .moving
    } else {
      stage = .moving
    }
    try findFiles()
  }

  private mutating func findFiles() throws(Refusal) {
    var leftOut: [LeftOutFile] = []
    if stage == .moving {
      let whole = try Self.read(tree.directory.base, tree.root)
      tree.files = whole.files.map { LocalTree.File(name: $0.name, path: $0.name, length: $0.length) }
      let own = Set(Self.tagNames.map(Self.temporary) + [Self.staging])
      leftOut = whole.leftOut.filter { !own.contains($0.name) }
    }
    let moved = stage == .moving ? Self.staging : BagFiles.payload
    if (try? SystemCalls.fstatat(raw, moved)) != nil {
      let below = try directory(moved)
      let part = try Self.read(below.base, moved)
      let prefix = moved + [Self.slash]
      leftOut += part.leftOut.map { LeftOutFile(name: prefix + $0.name, reason: $0.reason) }
      tree.files += part.files.map { LocalTree.File(name: $0.name, path: prefix + $0.name, length: $0.length) }
      tree.files.sort { $0.name.lexicographicallyPrecedes($1.name) }
    }
    if !leftOut.isEmpty { throw .unlisted(leftOut) }
    for (one, other) in zip(tree.files, tree.files.dropFirst()) where one.name == other.name {
      throw .collision(one.name)
    }
  }

  /// Performs the steps that are left. Not interrupted by signals, for it only renames.
  ///
  /// - Parameters:
  ///   - files: the payload as it was hashed.
  ///   - bag: its tag files.
  package func convert(_ files: [HashedFile], _ bag: BagFiles, syncs: Bool) throws(Refusal) {
    if stage == .moving { try move() }
    // Nothing may be in the payload that was not hashed.
    let payload = try directory(stage == .moving ? Self.staging : BagFiles.payload)
    let found = try Self.read(payload.base, tree.root)
    guard found.files.map(\.name) == files.map(\.name), found.files.map(\.length) == files.map(\.length) else {
      throw .failed(FileFailure(tree.root, .changed))
    }
    try write(bag, syncs: syncs)
    try perform(.sync, BagFiles.payload) { () throws(SystemCallError) in
      if syncs {
        try payload.base.sync()
        try tree.directory.base.sync()
      }
    }
    if stage == .moving { try rename(Self.staging, to: BagFiles.payload) }
    try removeOtherTagFiles(bag)
    for file in bag.tagFiles {
      try perform(.move, file.name) { () throws(SystemCallError) in
        try SystemCalls.renameat(raw, Self.temporary(file.name), raw, file.name, replacing: true)
      }
    }
    if syncs { try perform(.sync, []) { () throws(SystemCallError) in try tree.directory.base.sync() } }
  }

  private func move() throws(Refusal) {
    try perform(.create, Self.staging) { () throws(SystemCallError) in
      do throws(SystemCallError) { try SystemCalls.mkdirat(raw, Self.staging, mode: 0o777) } catch {
        // An earlier run has made it.
        if error.errno != EEXIST { throw error }
      }
    }
    let own = Set(Self.tagNames.map(Self.temporary) + [Self.staging])
    let names: [[UInt8]]
    do { names = try FileTree.names(in: tree.directory.base) } catch {
      throw .failed(FileFailure(tree.root, .failed(.list, errno: error.errno)))
    }
    for name in names where !own.contains(name) { try rename(name, to: Self.staging + [Self.slash] + name) }
  }

  /// Never replaces what has the new name.
  private func rename(_ name: [UInt8], to new: [UInt8]) throws(Refusal) {
    do throws(SystemCallError) {
      try FileTree.move(raw, name, to: new)
    } catch {
      if error.errno == EEXIST { throw .collision(name) }
      throw .failed(FileFailure(name, .failed(.move, errno: error.errno)))
    }
  }

  private func write(_ bag: BagFiles, syncs: Bool) throws(Refusal) {
    for file in bag.tagFiles {
      let name = Self.temporary(file.name)
      try perform(.write, file.name) { () throws(SystemCallError) in
        try removeIfPresent(name)
        try NewFile.write(file.content, name, in: raw, syncs: syncs)
      }
    }
  }

  /// An earlier run may have had other algorithms. Its tag files would not fit the new `bag-info.txt`.
  private func removeOtherTagFiles(_ bag: BagFiles) throws(Refusal) {
    let wanted = Set(bag.tagFiles.map(\.name))
    for name in Self.tagNames where !wanted.contains(name) {
      for name in [name, Self.temporary(name)] {
        try perform(.remove, name) { () throws(SystemCallError) in
          try removeIfPresent(name)
        }
      }
    }
  }

  private func removeIfPresent(_ name: [UInt8]) throws(SystemCallError) {
    do throws(SystemCallError) { try SystemCalls.unlinkat(raw, name) } catch {
      if !error.isMissing { throw error }
    }
  }

  private func directory(_ name: [UInt8]) throws(Refusal) -> TargetDirectory {
    do { return try TargetDirectory.open(path: name, relativeTo: tree.directory, creating: false) } catch {
      throw .failed(FileFailure(error))
    }
  }

  private func perform(
    _ operation: FileProblem.Operation, _ name: [UInt8], _ body: () throws(SystemCallError) -> Void
  ) throws(Refusal) {
    do { try body() } catch {
      throw .failed(FileFailure(name.isEmpty ? tree.root : name, .failed(operation, errno: error.errno)))
    }
  }

  private static func read(_ directory: DirectoryHandle, _ root: [UInt8]) throws(Refusal) -> FileTree {
    do { return try FileTree(directory) } catch { throw .failed(FileFailure(error, in: root)) }
  }

  private static func temporary(_ name: [UInt8]) -> [UInt8] { name + TargetName.temporarySuffix }

  /// The names of all tag files that a bag of ours may have.
  private static let tagNames = BagFiles(
    files: [], algorithms: DigestAlgorithm.allCases, date: "", digest: { _ in [] }
  ).tagFiles.map(\.name)
}
