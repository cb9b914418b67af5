/// Rows of a manifest of a bag in a `ByteStore`, by the numbers of the files.
///
/// They are read and written in blocks of 16, of which one is in memory.
final class BagColumn {
  private let manifest: BagManifestName
  private let store: any ByteStore
  /// The rows of a block. They are in the store, too, unless they have changed.
  private var block: (index: Int, bytes: [UInt8], hasChanged: Bool)

  static let blockRowCount = 16

  init(_ manifest: BagManifestName, _ store: any ByteStore) {
    self.manifest = manifest
    self.store = store
    block = (0, Self.emptyBlock(manifest), false)
  }

  private static func emptyBlock(_ manifest: BagManifestName) -> [UInt8] {
    Array(repeating: 0, count: blockRowCount * BagRow.byteCount(manifest))
  }

  /// Nil for a file without a row.
  subscript(file: Int) -> BagRow? {
    load(file / Self.blockRowCount)
    return BagRow(block.bytes[range(of: file)], manifest)
  }

  func set(_ row: BagRow, of file: Int) {
    load(file / Self.blockRowCount)
    block.bytes.replaceSubrange(range(of: file), with: row.bytes)
    block.hasChanged = true
  }

  private func range(of file: Int) -> Range<Int> {
    let byteCount = BagRow.byteCount(manifest)
    let start = file % Self.blockRowCount * byteCount
    return start..<(start + byteCount)
  }

  private func load(_ index: Int) {
    if index == block.index { return }
    if block.hasChanged { save() }
    let start = index * block.bytes.count
    let isStored = start < store.byteCount
    let bytes = isStored ? store.read(start..<(start + block.bytes.count)) : Self.emptyBlock(manifest)
    block = (index, bytes, false)
  }

  private func save() {
    let start = block.index * block.bytes.count
    if start < store.byteCount { return store.replace(at: start, with: block.bytes) }
    // Files without rows.
    while store.byteCount < start { store.append(Self.emptyBlock(manifest)) }
    store.append(block.bytes)
  }
}
