import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadFiles

/// A content that a file may have, with its bytes at hand.
final class ExpectedContent {
  let number: Int
  let content: Content
  let bytes: [UInt8]

  init(_ number: Int, _ content: Content) {
    self.number = number
    self.content = content
    bytes = content.allBytes
  }
}

/// What a power cut has left of a disk.
final class SurvivingDisk {
  let model: DiskModel
  let survival: Survival
  private var known: [DiskModel.NodeID: [String: DiskModel.NodeID]] = [:]

  init(_ model: DiskModel, _ survival: Survival) {
    self.model = model
    self.survival = survival
  }

  /// All names of a directory that still mean something.
  func names(in directory: DiskModel.NodeID) -> [String: DiskModel.NodeID] {
    if let found = known[directory] { return found }
    let found = choose(directory)
    known[directory] = found
    return found
  }

  private func choose(_ directory: DiskModel.NodeID) -> [String: DiskModel.NodeID] {
    guard let names = model.directory(directory)?.names else { return [:] }
    var chosen: [String: Int] = [:]
    for (name, history) in names {
      chosen[name] = survival.index(history, key: Self.key(directory, name))
    }
    // A rename that has taken the old name away has made the new one.
    for rename in model.renames where rename.directory == directory {
      guard let from = names[rename.from], let to = names[rename.to],
        Self.operation(from, chosen[rename.from] ?? 0) >= rename.operation,
        Self.operation(to, chosen[rename.to] ?? 0) < rename.operation
      else { continue }
      chosen[rename.to] = (to.pending.firstIndex { $0.operation == rename.operation } ?? -1) + 1
    }
    return names.reduce(into: [:]) { found, entry in
      if let node = entry.value.value(chosen[entry.key] ?? 0) { found[entry.key] = node }
    }
  }

  /// What a path below the root leads to.
  func node(_ path: String) -> DiskModel.NodeID? {
    path.split(separator: "/").reduce(DiskModel.rootNode as DiskModel.NodeID?) { node, name in
      node.flatMap { names(in: $0)[String(name)] }
    }
  }

  func file(_ path: String) -> SurvivingFile? {
    guard let node = node(path), let file = model.file(node) else { return nil }
    return SurvivingFile(file, survival.onFile(path), key: UInt64(node) << 32)
  }

  private static func operation(_ history: History<DiskModel.NodeID?>, _ index: Int) -> Int {
    index == 0 ? -1 : history.pending[index - 1].operation
  }

  private static func key(_ directory: DiskModel.NodeID, _ name: String) -> UInt64 {
    name.utf8.reduce(UInt64(directory) &+ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

/// What a power cut has left of a file.
struct SurvivingFile {
  private let file: DiskModel.File
  private let survival: Survival
  private let key: UInt64

  init(_ file: DiskModel.File, _ survival: Survival, key: UInt64) {
    self.file = file
    self.survival = survival
    self.key = key
  }

  var size: Int64 { file.size.value(survival.index(file.size, key: key ^ 1 << 31)) }
  var mode: UInt32 { file.mode.value(survival.index(file.mode, key: key ^ 2 << 29)) }
  var modified: FileTime? { file.modified.value(survival.index(file.modified, key: key ^ 3 << 29)) }

  var attributes: [String: [UInt8]] {
    file.attributes.reduce(into: [:]) { found, entry in
      let index = survival.index(entry.value, key: key ^ UInt64(entry.key.utf8.count) << 24)
      if let value = entry.value.value(index) { found[entry.key] = value }
    }
  }

  func block(_ index: Int) -> Block {
    guard let history = file.blocks[index] else { return .hole }
    let key = key ^ UInt64(index)
    let chosen = survival.index(history, key: key)
    guard chosen > 0, let units = survival.tear(key: key) else { return history.value(chosen) }
    let (new, old) = (history.value(chosen).bytes, history.durable.bytes)
    return Block(Array(new[..<(units * 64)] + old[(units * 64)...]))
  }

  /// Cut where the file ends.
  func bytes(_ range: Range<Int64>) -> [UInt8] { Block.join(range.clamped(to: 0..<size), block) }

  /// Whether a range is there and has the bytes it should have.
  func holds(_ range: Range<Int64>, of expected: ExpectedContent) -> Bool {
    if range.isEmpty { return true }
    guard range.upperBound <= min(size, Int64(expected.bytes.count)) else { return false }
    let length = Int64(Block.byteCount)
    for index in range.lowerBound / length...(range.upperBound - 1) / length {
      let whole = index * length..<(index + 1) * length
      let part = whole.clamped(to: range)
      let block = block(Int(index))
      let isRight =
        part == whole
        ? block.isRight(expected.number) { Self.isEqual(block, part, expected) } : Self.isEqual(block, part, expected)
      if !isRight { return false }
    }
    return true
  }

  private static func isEqual(_ block: Block, _ range: Range<Int64>, _ expected: ExpectedContent) -> Bool {
    let start = Int(range.lowerBound) % Block.byteCount
    return block.bytes.withUnsafeBytes { found in
      expected.bytes.withUnsafeBytes {
        memcmp(found.baseAddress! + start, $0.baseAddress! + Int(range.lowerBound), range.count) == 0
      }
    }
  }

  /// Whether it is exactly this content.
  func isWhole(_ expected: ExpectedContent) -> Bool {
    size == Int64(expected.bytes.count) && holds(0..<size, of: expected)
  }
}
