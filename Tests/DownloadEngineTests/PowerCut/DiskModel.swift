import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadFiles

/// 4 KiB of a file as they were after one write.
final class Block {
  static let byteCount = 4096
  private static let zeros = [UInt8](repeating: 0, count: byteCount)
  /// One of its own each time, for a comparison holds for one place.
  static var hole: Block { Block(zeros) }

  let bytes: [UInt8]
  /// Whether these are the bytes of a content at the place where the block lies: one bit for each content's number.
  private var known: UInt64 = 0
  private var right: UInt64 = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether all of it is right, compared once.
  func isRight(_ content: Int, _ compare: () -> Bool) -> Bool {
    guard content < 64 else { return compare() }
    let bit = UInt64(1) << UInt64(content)
    if known & bit == 0 {
      known |= bit
      if compare() { right |= bit }
    }
    return right & bit != 0
  }

  /// The bytes of a range of a file that is made of blocks.
  static func join(_ range: Range<Int64>, _ block: (Int) -> Block) -> [UInt8] {
    if range.isEmpty { return [] }
    let first = Int(range.lowerBound) / byteCount
    let last = Int(range.upperBound - 1) / byteCount
    var bytes: [UInt8] = []
    for index in first...last { bytes += block(index).bytes }
    let start = Int(range.lowerBound) - first * byteCount
    return Array(bytes[start..<start + range.count])
  }
}

/// A file system below the recorded calls, no kinder than any that there is.
///
/// Blocks, sizes, names, modes, times and attributes get to the disk each on its own and in any order, unless a sync
/// says so. fdatasync takes blocks and size, fsync of a file mode, time and attributes too, fsync of a directory the
/// names in it. A file's sync says nothing of its name, nor a directory's of what its names mean. One thing only is
/// taken to be atomic, as it is in every journal: a rename never loses the old name without making the new one.
///
/// A recording begins with a synced disk, unless it says otherwise: the sidecar that an ended run has removed does not
/// come back to a later run, for journals and log trees keep the order of names in one directory.
struct DiskModel {
  typealias NodeID = Int

  struct File {
    var blocks: [Int: History<Block>] = [:]
    var unpersistedBlocks: Set<Int> = []
    var size = History<Int64>(durable: 0)
    var mode: History<UInt32>
    var modified = History<FileTime?>(durable: nil)
    var attributes: [String: History<[UInt8]?>] = [:]
    /// The number of the last call that a failed sync was to cover.
    var lostUpTo = -1
  }

  struct Directory {
    var names: [String: History<NodeID?>] = [:]
    var parent: NodeID
  }

  enum Node { case file(File), directory(Directory) }

  struct Rename {
    let operation: Int
    let from: String
    let to: String
    let directory: NodeID
  }

  private(set) var nodes: [Node] = [.directory(Directory(parent: 0))]
  private(set) var renames: [Rename] = []
  private(set) var watches: [NodeID: SidecarWatch] = [:]
  /// Files of another program that are not on stable storage.
  private(set) var found: Set<NodeID> = []
  private var identities: [FileIdentity: NodeID] = [:]
  private var root: String
  /// The number of the next call.
  private(set) var operation = 0
  /// The number of the last call that wrote a record.
  private(set) var lastRecord = -1
  /// Syncs that do not happen.
  var dropped = Dropped.none
  /// The syncs met so far that had anything to do.
  private(set) var syncs: [(operation: Int, site: SyncSite)] = []

  enum Dropped: Equatable {
    case none
    case all(SyncSite)
    case one(operation: Int)
  }

  init(root: String) { self.root = root }

  static let rootNode = 0

  /// The machine goes on running, and another process sees the same files at another place.
  mutating func move(to root: String) {
    identities = [:]
    self.root = root
  }

  /// Something that is there before the first call; nothing of it is on stable storage where `isDurable` is false.
  mutating func put(_ name: String, _ content: Content, modified: FileTime?, isDurable: Bool) {
    let node = add(.file(File(mode: History(durable: 0o644))))
    change(node) { file, _ in file.modified = History(durable: modified) }
    link(Self.rootNode, name, node)
    write(node, content.allBytes, at: 0)
    if name.hasSuffix(".swiftget") { watches[node] = SidecarWatch() }
    if isDurable { persistAll() } else { found.insert(node) }
    operation += 1
  }

  // MARK: Looking

  func file(_ node: NodeID) -> File? { if case .file(let file) = nodes[node] { file } else { nil } }

  func directory(_ node: NodeID) -> Directory? {
    if case .directory(let directory) = nodes[node] { directory } else { nil }
  }

  /// Names that a file has now.
  func names(of node: NodeID) -> [String] {
    nodes.indices.flatMap { index in
      directory(index)?.names.filter { $0.value.current == node }.map(\.key) ?? []
    }
  }

  /// The file's bytes as the program sees them.
  func bytes(_ node: NodeID, _ range: Range<Int64>) -> [UInt8] {
    guard let file = file(node) else { return [] }
    return Block.join(range.clamped(to: 0..<file.size.current)) { file.blocks[$0]?.current ?? .hole }
  }

  /// Numbers of the calls whose effect may be lost.
  var pendingOperations: Set<Int> {
    var found: Set<Int> = []
    for node in nodes {
      switch node {
      case .directory(let directory):
        for name in directory.names.values { found.formUnion(name.pending.map(\.operation)) }
      case .file(let file):
        for index in file.unpersistedBlocks { found.formUnion(file.blocks[index]?.pending.map(\.operation) ?? []) }
        found.formUnion(file.size.pending.map(\.operation))
        found.formUnion(file.mode.pending.map(\.operation))
        found.formUnion(file.modified.pending.map(\.operation))
        for value in file.attributes.values { found.formUnion(value.pending.map(\.operation)) }
      }
    }
    return found
  }

  // MARK: Calls

  /// - Returns: whether the call had any effect on the disk or on what the program may rely on.
  mutating func apply(_ call: RecordedCall) throws -> Bool {
    defer { operation += 1 }
    switch call.call {
    case .openat: return try open(call)
    case .pwrite, .ftruncate, .fchmod, .futimens, .fsetxattr, .fdatasync, .fsync, .syncfs: break
    case .renameat, .linkat, .unlinkat, .mkdirat: return call.result >= 0 ? try changeName(call) : false
    case .write, .sync: throw TestSupportError("the model knows no \(call.call)")
    case .close, .dup, .pread, .syncFileRange, .fstat, .fstatat, .flock, .fremovexattr, .fgetxattr, .getxattrat,
      .fstatfs, .poll:
      return false
    }
    guard let identity = call.subject, let node = identities[identity] else {
      throw TestSupportError("\(call.call) of an unknown file \(call.file)")
    }
    if call.call == .fdatasync || call.call == .fsync || call.call == .syncfs { return try sync(call, node) }
    if call.result < 0 { return false }
    switch call.call {
    case .pwrite: write(node, call.bytes, at: call.offset)
    case .ftruncate: cut(node, to: call.length)
    case .fchmod: change(node) { $0.mode.set(call.mode, $1) }
    case .futimens: change(node) { $0.modified.set(call.modified, $1) }
    default:
      let name = String(decoding: call.path, as: UTF8.self)
      change(node) { $0.attributes[name, default: History(durable: nil)].set(call.bytes, $1) }
    }
    return true
  }

  private mutating func open(_ call: RecordedCall) throws -> Bool {
    guard call.result >= 0, let identity = call.object else { return false }
    if call.path == Array("..".utf8) || call.path == Array(".".utf8), call.flags & O_DIRECTORY != 0,
      call.flags & Self.unnamed != Self.unnamed
    {
      if let known = call.subject.flatMap({ identities[$0] }) {
        identities[identity] = call.path.count == 1 ? known : directory(known)?.parent
      }
      return false
    }
    if call.flags & Self.unnamed == Self.unnamed {
      identities[identity] = add(.file(File(mode: History(durable: 0o600))))
      return false
    }
    guard let (parent, name) = try place(call.subject, call.path) else { return false }
    guard let name else {
      identities[identity] = Self.rootNode
      return false
    }
    if let found = directory(parent)?.names[name]?.current {
      identities[identity] = found
      return false
    }
    guard call.flags & O_CREAT != 0 else { throw TestSupportError("\(name) was opened and never made") }
    let node = add(.file(File(mode: History(durable: call.mode))))
    identities[identity] = node
    if name.hasSuffix(".swiftget") { watches[node] = SidecarWatch() }
    link(parent, name, node)
    return true
  }

  private static let unnamed: Int32 = 0o20200000

  private mutating func changeName(_ call: RecordedCall) throws -> Bool {
    switch call.call {
    case .linkat:
      guard let file = try linkedFile(call),
        let (parent, name) = try place(call.object, call.newPath),
        let name
      else { throw TestSupportError("a link that the model cannot follow") }
      link(parent, name, file)
    case .mkdirat:
      guard let (parent, name) = try place(call.subject, call.path), let name else { return false }
      link(parent, name, add(.directory(Directory(parent: parent))))
    case .unlinkat:
      guard let (parent, name) = try place(call.subject, call.path), let name else { return false }
      link(parent, name, nil)
    default:
      guard let (parent, from) = try place(call.subject, call.path), let from,
        let (target, to) = try place(call.object, call.newPath), let to, target == parent,
        let file = directory(parent)?.names[from]?.current
      else { throw TestSupportError("a rename that the model cannot follow") }
      // Two names of one file: nothing happens.
      if directory(parent)?.names[to]?.current == file { return false }
      link(parent, to, file)
      link(parent, from, nil)
      renames.append(Rename(operation: operation, from: from, to: to, directory: parent))
    }
    return true
  }

  /// What linkat gives another name: the file of a descriptor, or of a name.
  private func linkedFile(_ call: RecordedCall) throws -> NodeID? {
    guard let subject = call.subject.flatMap({ identities[$0] }) else { return nil }
    return directory(subject) == nil
      ? subject : directory(subject)?.names[String(decoding: call.path, as: UTF8.self)]?.current
  }

  /// The directory and the name in it that a path means; no name for the root, nil for what lies elsewhere.
  private func place(_ start: FileIdentity?, _ path: [UInt8]) throws -> (NodeID, String?)? {
    var text = String(decoding: path, as: UTF8.self)
    var node = Self.rootNode
    if text.hasPrefix("/") {
      if text == root { return (node, nil) }
      guard text.hasPrefix(root + "/") else { return nil }
      text = String(text.dropFirst(root.count + 1))
    } else {
      guard let known = start.flatMap({ identities[$0] }) else { return nil }
      node = known
    }
    let components = text.split(separator: "/").map(String.init)
    for component in components.dropLast() {
      guard let next = directory(node)?.names[component]?.current else {
        throw TestSupportError("no directory \(component)")
      }
      node = next
    }
    return (node, components.last)
  }

  // MARK: Changes

  private mutating func add(_ node: Node) -> NodeID {
    nodes.append(node)
    return nodes.count - 1
  }

  private mutating func change(_ node: NodeID, _ body: (inout File, _ operation: Int) -> Void) {
    guard case .file(var file) = nodes[node] else { return }
    // Else the arrays in it would be copied.
    nodes[node] = .directory(Directory(parent: 0))
    body(&file, operation)
    nodes[node] = .file(file)
  }

  private mutating func link(_ directory: NodeID, _ name: String, _ node: NodeID?) {
    guard case .directory(var changed) = nodes[directory] else { return }
    changed.names[name, default: History(durable: nil)].set(node, operation)
    nodes[directory] = .directory(changed)
  }

  private mutating func write(_ node: NodeID, _ bytes: [UInt8], at offset: Int64) {
    if watches[node] != nil {
      let old = self.bytes(node, offset..<offset + Int64(bytes.count))
      lastRecord = operation
      watches[node]?.wrote(bytes, at: offset, over: old)
    }
    change(node) { file, operation in
      var position = Int(offset)
      var done = 0
      while done < bytes.count {
        let index = position / Block.byteCount
        let start = position % Block.byteCount
        let count = min(Block.byteCount - start, bytes.count - done)
        var changed = file.blocks[index]?.current.bytes ?? Block.hole.bytes
        changed.replaceSubrange(start..<start + count, with: bytes[done..<done + count])
        file.blocks[index, default: History(durable: .hole)].set(Block(changed), operation)
        file.unpersistedBlocks.insert(index)
        position += count
        done += count
      }
      // After a failed sync only what is written again makes the file reach so far for certain.
      let certain = file.lostUpTo < 0 ? file.size.current : min(file.size.current, file.size.durable)
      let isCertain = Int64(position) <= certain
      if !isCertain { file.size.set(max(Int64(position), file.size.current), operation) }
    }
  }

  private mutating func cut(_ node: NodeID, to length: Int64) {
    let size = file(node)?.size.current ?? 0
    // What grows again over it must not find the old bytes.
    if length < size { write(node, [UInt8](repeating: 0, count: Int(size - length)), at: length) }
    change(node) { $0.size.set(length, $1) }
  }

  // MARK: Syncs

  private mutating func sync(_ call: RecordedCall, _ node: NodeID) throws -> Bool {
    guard call.result >= 0 else {
      change(node) { $0.lostUpTo = $1 }
      return true
    }
    let site = SyncSite(call.call, node, in: self)
    if site == nil, watches[node] != nil { throw TestSupportError("a sync of a sidecar that nothing depends on") }
    if let site { syncs.append((operation, site)) }
    watches[node]?.synced()
    if dropped == .one(operation: operation) || site.map({ dropped == .all($0) }) ?? false { return true }
    switch call.call {
    case .syncfs: persistAll()
    case .fdatasync: persist(node, all: false)
    default: persist(node, all: true)
    }
    return true
  }

  private mutating func persistAll() { for node in nodes.indices { persist(node, all: true) } }

  private mutating func persist(_ node: NodeID, all: Bool) {
    if case .directory(var directory) = nodes[node] {
      for name in directory.names.keys { directory.names[name]?.persist(lostUpTo: -1) }
      nodes[node] = .directory(directory)
      renames.removeAll { $0.directory == node }
    }
    change(node) { file, _ in
      let lost = file.lostUpTo
      for index in file.unpersistedBlocks { file.blocks[index]?.persist(lostUpTo: lost) }
      file.unpersistedBlocks = file.unpersistedBlocks.filter { file.blocks[$0]?.pending.isEmpty == false }
      file.size.persist(lostUpTo: lost)
      guard all else { return }
      file.mode.persist(lostUpTo: lost)
      file.modified.persist(lostUpTo: lost)
      for name in file.attributes.keys { file.attributes[name]?.persist(lostUpTo: lost) }
    }
  }
}
