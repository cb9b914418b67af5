internal import DownloadFiles

/// Text that is collected while a run lasts, for a file that is made of it at the end. Until then it waits in an unnamed
/// file beside that one, and costs no memory.
package final class TextSpool {
  /// The file that is made of the text.
  private let path: [UInt8]
  private let file: FileDescriptor
  /// Text that is not written yet, and where it begins.
  private var pending: [UInt8] = []
  private var pendingOffset: Int64 = 0
  /// The first failed write. No text can be had then.
  private var failure: SystemCallError?

  static let blockByteCount = 64 << 10

  /// - Parameter path: the file that is to be made, which need not exist.
  /// - Throws: where no file can be made in its directory, and where something else than a regular file has its name.
  package init(beside path: [UInt8]) throws(FileFailure) {
    self.path = path
    try ReplaceableFile.require(path)
    do throws(SystemCallError) { file = try UnnamedFile.beside(path) } catch {
      throw FileFailure(path, .failed(.create, errno: error.errno))
    }
  }

  /// The number of bytes so far.
  package var byteCount: Int64 { pendingOffset + Int64(pending.count) }

  /// A write that fails is told by what reads the text later.
  package func append(_ text: [UInt8]) {
    pending += text
    if pending.count >= Self.blockByteCount { flush() }
  }

  private func flush() {
    do throws(SystemCallError) {
      if failure == nil { try SystemCalls.pwriteAll(file.raw, pending, at: pendingOffset) }
    } catch { failure = error }
    pendingOffset += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  /// A part of the text.
  ///
  /// - Parameter range: of bytes that were appended.
  func read(_ range: Range<Int64>) throws(SystemCallError) -> [UInt8] {
    if range.upperBound > pendingOffset { flush() }
    if let failure { throw failure }
    return try SystemCalls.preadAll(file.raw, limit: Int(range.upperBound - range.lowerBound), at: range.lowerBound)
  }

  /// Replaces the file by the text; its name has the old content or the whole new one.
  ///
  /// - Parameters:
  ///   - isPrivate: whether only the user may read it.
  ///   - syncs: whether it reaches stable storage before this returns.
  package func replaceFile(
    beginning: [UInt8] = [], end: [UInt8] = [], isPrivate: Bool = false, syncs: Bool
  ) throws(FileFailure) {
    try replaceFile(isPrivate: isPrivate, syncs: syncs) { (write) throws(SystemCallError) in
      try write(beginning)
      try copy(to: write)
      try write(end)
    }
  }

  private func copy(to write: ([UInt8]) throws(SystemCallError) -> Void) throws(SystemCallError) {
    var offset: Int64 = 0
    let end = byteCount
    while offset < end {
      let next = min(end, offset + Int64(Self.blockByteCount))
      try write(try read(offset..<next))
      offset = next
    }
  }

  /// Replaces the file by what `fill` writes.
  func replaceFile(
    isPrivate: Bool, syncs: Bool,
    fill: (_ write: ([UInt8]) throws(SystemCallError) -> Void) throws(SystemCallError) -> Void
  ) throws(FileFailure) {
    do throws(SystemCallError) {
      try WholeFile.replace(
        path, mode: isPrivate ? FileMode.ownerOnly : nil, durability: syncs ? .contentAndName : .none, fill: fill)
    } catch {
      throw failed(error)
    }
  }

  func failed(_ error: SystemCallError) -> FileFailure {
    FileFailure(path, .failed(.write, errno: error.errno))
  }
}
