internal import FileStore

/// Texts that come in any order while a run lasts, and are wanted at its end in that of their numbers. They wait in an
/// unnamed file beside the one that is made of them. Memory: 16 bytes for each.
package final class NumberedTexts {
  private struct Place {
    let offset: Int64
    let number: Int32
    let byteCount: Int32
  }

  /// The file that is made of the texts.
  private let path: [UInt8]
  private let file: FileDescriptor
  private var places: [Place] = []
  private var isSorted = true
  /// Texts that are not written yet, and where they begin.
  private var pending: [UInt8] = []
  private var pendingOffset: Int64 = 0
  /// The first failed write. No text can be had then.
  private var failure: SystemCallError?

  private static let blockByteCount = 64 << 10

  /// - Parameter path: the file that is to be made, which need not exist.
  /// - Throws: where no file can be made in its directory, and where something else than a regular file has its name.
  package init(beside path: [UInt8]) throws(FileFailure) {
    self.path = path
    if let status = try? SystemCalls.fstatat(SystemCalls.workingDirectory, path) {
      switch status.kind {
      case .directory: throw FileFailure(path, .obstacle(.directory))
      case .special: throw FileFailure(path, .obstacle(.special))
      case .regular, .symbolicLink: break
      }
    }
    do throws(SystemCallError) { file = try UnnamedFile.beside(path) } catch {
      throw FileFailure(path, .failed(.create, errno: error.errno))
    }
  }

  /// - Parameter number: each is taken once. Below 2^31.
  package func add(_ text: [UInt8], number: Int) {
    places.append(
      Place(
        offset: pendingOffset + Int64(pending.count), number: Int32(clamping: number),
        byteCount: Int32(clamping: text.count)))
    isSorted = false
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

  /// The number of the text at a place in the order of numbers; nil behind the last one.
  package func number(at index: Int) -> Int? {
    sort()
    return index < places.count ? Int(places[index].number) : nil
  }

  /// The text at a place in the order of numbers.
  package func text(at index: Int) throws(FileFailure) -> [UInt8] {
    sort()
    flush()
    do throws(SystemCallError) {
      if let failure { throw failure }
      return try read(places[index])
    } catch {
      throw FileFailure(path, .failed(.write, errno: error.errno))
    }
  }

  /// Replaces the file by the texts in the order of their numbers; its name has the old content or the whole new one.
  ///
  /// - Parameters:
  ///   - isPrivate: whether only the user may read it.
  ///   - syncs: whether it reaches stable storage before this returns.
  ///   - completed: makes of a number and its text what is written.
  package func replaceFile(
    isPrivate: Bool = false, syncs: Bool, completed: (Int, [UInt8]) -> [UInt8] = { $1 }
  ) throws(FileFailure) {
    sort()
    flush()
    do throws(SystemCallError) {
      if let failure { throw failure }
      try WholeFile.replace(
        path, mode: isPrivate ? FileMode.ownerOnly : nil, durability: syncs ? .contentAndName : .none
      ) { (write) throws(SystemCallError) in
        var block: [UInt8] = []
        for place in places {
          block += completed(Int(place.number), try read(place))
          if block.count >= Self.blockByteCount {
            try write(block)
            block.removeAll(keepingCapacity: true)
          }
        }
        try write(block)
      }
    } catch {
      throw FileFailure(path, .failed(.write, errno: error.errno))
    }
  }

  private func sort() {
    if isSorted { return }
    places.sort { $0.number < $1.number }
    isSorted = true
  }

  private func read(_ place: Place) throws(SystemCallError) -> [UInt8] {
    try SystemCalls.preadAll(file.raw, limit: Int(place.byteCount), at: place.offset)
  }
}
