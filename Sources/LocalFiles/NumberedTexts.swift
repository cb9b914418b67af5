internal import FileStore

/// Texts that come in any order while a run lasts, and are wanted at its end in that of their numbers. They wait in a
/// `TextSpool`. Memory: 16 bytes for each.
package final class NumberedTexts {
  private struct Place {
    let offset: Int64
    let number: Int32
    let byteCount: Int32
  }

  private let spool: TextSpool
  private var places: [Place] = []
  private var isSorted = true

  /// - Parameter path: the file that is to be made, which need not exist.
  /// - Throws: as `TextSpool`.
  package init(beside path: [UInt8]) throws(FileFailure) { spool = try TextSpool(beside: path) }

  /// - Parameter number: each is taken once. Below 2^31.
  package func add(_ text: [UInt8], number: Int) {
    places.append(
      Place(offset: spool.byteCount, number: Int32(clamping: number), byteCount: Int32(clamping: text.count)))
    isSorted = false
    spool.append(text)
  }

  /// The number of the text at a place in the order of numbers; nil behind the last one.
  package func number(at index: Int) -> Int? {
    sort()
    return index < places.count ? Int(places[index].number) : nil
  }

  /// The text at a place in the order of numbers.
  package func text(at index: Int) throws(FileFailure) -> [UInt8] {
    sort()
    do { return try read(places[index]) } catch { throw spool.failed(error) }
  }

  /// Replaces the file by the texts in the order of their numbers; its name has the old content or the whole new one.
  ///
  /// - Parameters:
  ///   - syncs: whether it reaches stable storage before this returns.
  ///   - completed: makes of a number and its text what is written.
  package func replaceFile(
    syncs: Bool, completed: (Int, [UInt8]) -> [UInt8] = { $1 }
  ) throws(FileFailure) {
    sort()
    try spool.replaceFile(isPrivate: false, syncs: syncs) { (write) throws(SystemCallError) in
      var block: [UInt8] = []
      for place in places {
        block += completed(Int(place.number), try read(place))
        if block.count >= TextSpool.blockByteCount {
          try write(block)
          block.removeAll(keepingCapacity: true)
        }
      }
      try write(block)
    }
  }

  private func sort() {
    if isSorted { return }
    places.sort { $0.number < $1.number }
    isSorted = true
  }

  private func read(_ place: Place) throws(SystemCallError) -> [UInt8] {
    try spool.read(place.offset..<(place.offset + Int64(place.byteCount)))
  }
}
