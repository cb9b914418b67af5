internal import CSwiftGetShims
internal import DownloadCore
internal import Glibc

/// The place of one file: an open directory and a name in it.
package struct TargetPlace: Sendable {
  package let directory: DirectoryHandle
  /// One path component: not empty, not `.` or `..`, without slash and NUL.
  package let name: [UInt8]

  /// Nil where the name is not a single path component.
  package init?(directory: DirectoryHandle, name: [UInt8]) {
    guard TargetDirectory.isComponent(name) else { return nil }
    self.directory = directory
    self.name = name
  }

  /// `NAME.swiftget-part`: the content as long as it is unfinished.
  var partName: [UInt8] { TargetName.partName(for: name, limit: directory.nameLimit) }

  /// `NAME.swiftget`: what the part file holds.
  var sidecarName: [UInt8] { TargetName.sidecarName(for: name, limit: directory.nameLimit) }

  /// `NAME.swiftget-bad`: a part file whose content is wrong.
  var rejectedName: [UInt8] {
    TargetName.fitted(name, suffix: TargetName.rejectedSuffix, limit: directory.nameLimit)
  }
}

/// Why a directory cannot be opened or created.
package struct DirectoryError: Error, Hashable, Sendable {
  /// The first directory on the way that is missing or of no use, as the user knows it.
  package let path: [UInt8]
  /// `mkdirat` where the directory is missing and cannot be created.
  package let cause: SystemCallError

  package init(_ path: [UInt8], _ cause: SystemCallError) {
    self.path = path
    self.cause = cause
  }
}

/// A directory that the user named. Resolves relative names from lists to places below it.
///
/// The user's own path may go through symbolic links. Names below it come from lists and servers: each component is
/// opened on its own and must be a real directory.
package final class TargetDirectory: Sendable {
  /// The number of sub-directories that are kept open for reuse.
  private static let cacheCapacity = 8

  private struct Cache {
    var entries: [(handle: DirectoryHandle, status: FileStatus, lastUse: UInt64)] = []
    var clock: UInt64 = 0
  }

  package let base: DirectoryHandle
  /// The user's path of it.
  private let root: [UInt8]
  private let ledger: NewDirectories
  private let cache = Lock(Cache())

  private init(_ opened: consuming OpenDirectory, root: [UInt8], ledger: NewDirectories) {
    base = DirectoryHandle(opened, root: root, path: [], ledger: ledger)
    self.root = root
    self.ledger = ledger
  }

  /// Opens a directory by the user's path and creates missing components.
  ///
  /// An empty path is the working directory. A relative path starts at `start`, or at the working directory.
  package static func open(
    path: [UInt8], relativeTo start: TargetDirectory? = nil, creating: Bool = true
  ) throws(DirectoryError) -> TargetDirectory {
    let from = start?.base.raw ?? SystemCalls.workingDirectory
    let root = DirectoryHandle.joined(start?.root ?? [], path)
    let path = path.isEmpty ? [UInt8(ascii: ".")] : path
    let ledger = NewDirectories()
    func shown(_ prefix: [UInt8]) -> [UInt8] { DirectoryHandle.joined(start?.root ?? [], prefix) }
    do {
      return TargetDirectory(try OpenDirectory(from, path), root: root, ledger: ledger)
    } catch {
      guard error.isMissing, creating else {
        throw DirectoryError(shown(firstNonDirectory(of: path, from: from) ?? path), error)
      }
    }
    // Create every prefix in turn, so that `a/../b` means the same as to the kernel.
    for prefix in prefixes(of: path) {
      do {
        try SystemCalls.mkdirat(from, prefix, mode: FileMode.newDirectory)
        ledger.made([])
      } catch let error where error.errno == EEXIST {
        continue
      } catch {
        // mkdirat may fail like this for an existing directory, too, for example on a read-only file system.
        do { _ = try OpenDirectory(from, prefix) } catch let found where found.isMissing {
          throw DirectoryError(shown(prefix), error)
        } catch {
          throw DirectoryError(shown(firstNonDirectory(of: path, from: from) ?? prefix), error)
        }
      }
    }
    do {
      return TargetDirectory(try OpenDirectory(from, path), root: root, ledger: ledger)
    } catch {
      throw DirectoryError(shown(firstNonDirectory(of: path, from: from) ?? path), error)
    }
  }

  /// The first prefix of the path that is there and no directory.
  private static func firstNonDirectory(of path: [UInt8], from: Int32) -> [UInt8]? {
    for prefix in prefixes(of: path) {
      do { _ = try OpenDirectory(from, prefix) } catch {
        if error.errno == ENOTDIR { return prefix }
      }
    }
    return nil
  }

  /// `a`, `a/b`, `a/b/c` of `a/b/c`.
  private static func prefixes(of path: [UInt8]) -> [[UInt8]] {
    var prefixes: [[UInt8]] = []
    for index in path.indices where index > 0 {
      if path[index] == UInt8(ascii: "/"), path[index - 1] != UInt8(ascii: "/") {
        prefixes.append(Array(path[..<index]))
      }
    }
    if path.last != UInt8(ascii: "/") { prefixes.append(path) }
    return prefixes
  }

  /// The place of the user's own path (`-o a/b/c`), whose directories may be links.
  ///
  /// - Throws: EISDIR where the path ends in a slash, `.` or `..`.
  package static func place(
    userPath: [UInt8], relativeTo start: TargetDirectory, creating: Bool = true
  ) throws(DirectoryError) -> TargetPlace {
    let slash = userPath.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { Array(userPath[($0 + 1)...]) } ?? userPath
    guard isComponent(name) else { throw DirectoryError(userPath, SystemCallError(.openat, EISDIR)) }
    guard let slash else { return try start.place(name) }
    let path = slash == 0 ? [UInt8(ascii: "/")] : Array(userPath[..<slash])
    return try open(path: path, relativeTo: start, creating: creating).place(name)
  }

  private func place(_ name: [UInt8]) throws(DirectoryError) -> TargetPlace {
    guard let place = TargetPlace(directory: base, name: name) else {
      throw error([], SystemCallError(.openat, EINVAL))
    }
    return place
  }

  private func error(_ path: [UInt8], _ cause: SystemCallError) -> DirectoryError {
    DirectoryError(DirectoryHandle.joined(root, path), cause)
  }

  /// The place of a relative name from a list. Follows no symbolic links and creates missing directories.
  ///
  /// - Parameter components: the directories, then the file's name; at least one.
  /// - Throws: EINVAL where a component is not a name (`..`), ELOOP where one is a link, ENOTDIR where one is another
  ///   kind of file, ENOENT where one is missing and `creating` is false.
  package func resolve(_ components: [[UInt8]], creating: Bool = true) throws(DirectoryError) -> TargetPlace {
    let path = Array(components.dropLast().joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    guard let name = components.last, components.allSatisfy(Self.isComponent) else {
      throw error(path, SystemCallError(.openat, EINVAL))
    }
    if components.count == 1 { return try place(name) }
    let directory: DirectoryHandle
    if let known = cached(path) {
      directory = known
    } else {
      directory = try descend(components.dropLast(), creating: creating)
    }
    guard let place = TargetPlace(directory: directory, name: name) else {
      throw error(path, SystemCallError(.openat, EINVAL))
    }
    return place
  }

  private func descend(_ components: ArraySlice<[UInt8]>, creating: Bool) throws(DirectoryError) -> DirectoryHandle {
    var current = base
    var path: [UInt8] = []
    for component in components {
      path += path.isEmpty ? component : [UInt8(ascii: "/")] + component
      if let known = cached(path) {
        current = known
        continue
      }
      do { current = try step(into: component, of: current, path: path, creating: creating) } catch {
        throw self.error(path, error)
      }
      remember(current)
    }
    return current
  }

  private func step(
    into component: [UInt8], of parent: DirectoryHandle, path: [UInt8], creating: Bool
  ) throws(SystemCallError) -> DirectoryHandle {
    do {
      return try child(component, of: parent, path: path)
    } catch {
      if error.errno == ENOTDIR, (try? SystemCalls.fstatat(parent.raw, component))?.kind == .symbolicLink {
        throw SystemCallError(.openat, ELOOP)
      }
      guard error.isMissing, creating else { throw error }
    }
    do {
      try SystemCalls.mkdirat(parent.raw, component, mode: FileMode.newDirectory)
      ledger.made(path)
    } catch let error where error.errno == EEXIST {
      // Another run has just created it.
    }
    return try child(component, of: parent, path: path)
  }

  private func child(
    _ component: [UInt8], of parent: DirectoryHandle, path: [UInt8]
  ) throws(SystemCallError) -> DirectoryHandle {
    let opened = try OpenDirectory(parent.raw, component, flags: O_NOFOLLOW)
    return DirectoryHandle(opened, root: root, path: path, ledger: ledger)
  }

  /// The open directory of this path. Nil if there is none, or if the path means another directory by now, because somebody
  /// has removed or renamed this one.
  private func cached(_ path: [UInt8]) -> DirectoryHandle? {
    cache.withLock { cache in
      guard let index = cache.entries.firstIndex(where: { $0.handle.path == path }) else { return nil }
      let entry = cache.entries[index]
      guard let now = try? SystemCalls.fstatat(base.raw, path), now.inode == entry.status.inode,
        now.device == entry.status.device
      else {
        cache.entries.remove(at: index)
        return nil
      }
      cache.clock += 1
      cache.entries[index].lastUse = cache.clock
      return entry.handle
    }
  }

  private func remember(_ handle: DirectoryHandle) {
    guard let status = try? SystemCalls.fstat(handle.raw) else { return }
    cache.withLock { cache in
      cache.clock += 1
      if cache.entries.count >= Self.cacheCapacity,
        let oldest = cache.entries.indices.min(by: { cache.entries[$0].lastUse < cache.entries[$1].lastUse })
      {
        cache.entries.remove(at: oldest)
      }
      cache.entries.append((handle, status, cache.clock))
    }
  }

  /// Whether the bytes are a single path component that names an entry of its directory.
  package static func isComponent(_ name: [UInt8]) -> Bool {
    !name.isEmpty && name != [UInt8(ascii: ".")] && name != [UInt8(ascii: "."), UInt8(ascii: ".")]
      && !name.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}
