internal import DownloadFiles

/// Texts that come in any order while a run lasts, and are wanted at its end by their numbers. They wait in a `TextSpool`,
/// and their places in an unnamed file of their own, so that they cost no memory.
package final class NumberedTexts {
  private let spool: TextSpool
  /// The place of each number: the offset of its text, counted from 1, and the number of its bytes, 8 bytes each. Zeros
  /// for numbers without a text.
  private let places: FileDescriptor
  /// Above all numbers.
  private var end = 0
  /// The first place that could not be written. No text can be had then.
  private var failure: SystemCallError?

  private static let placeByteCount = 2 * Int64.byteCount

  /// - Parameter path: the file that is to be made, which need not exist.
  /// - Throws: as `TextSpool`.
  package init(beside path: [UInt8]) throws(FileFailure) {
    spool = try TextSpool(beside: path)
    do throws(SystemCallError) { places = try UnnamedFile.beside(path) } catch {
      throw FileFailure(path, .failed(.create, errno: error.errno))
    }
  }

  /// - Parameter number: from 0. A further text replaces the one before.
  package func add(_ text: [UInt8], number: Int) {
    let place = (spool.byteCount + 1).bytes + Int64(text.count).bytes
    do throws(SystemCallError) {
      if failure == nil { try SystemCalls.pwriteAll(places.raw, place, at: Self.offset(number)) }
    } catch { failure = error }
    end = max(end, number + 1)
    spool.append(text)
  }

  /// The text of a number; nil where it has none.
  package func text(_ number: Int) throws(FileFailure) -> [UInt8]? {
    do throws(SystemCallError) {
      guard let range = try readPlaces(from: number, count: 1).first ?? nil else { return nil }
      return try spool.read(range)
    } catch { throw spool.failed(error) }
  }

  /// The first text whose number is not below `number`; nil if there is none.
  package func first(from number: Int) throws(FileFailure) -> (number: Int, text: [UInt8])? {
    let blockCount = TextSpool.blockByteCount / Self.placeByteCount
    do throws(SystemCallError) {
      for start in stride(from: number, to: end, by: blockCount) {
        let ranges = try readPlaces(from: start, count: blockCount)
        guard let index = ranges.firstIndex(where: { $0 != nil }), let range = ranges[index] else { continue }
        return (start + index, try spool.read(range))
      }
      return nil
    } catch { throw spool.failed(error) }
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
    try spool.replaceFile(isPrivate: isPrivate, syncs: syncs) { (write) throws(SystemCallError) in
      var block: [UInt8] = []
      for first in stride(from: 0, to: end, by: TextSpool.blockByteCount / Self.placeByteCount) {
        let ranges = try readPlaces(from: first, count: TextSpool.blockByteCount / Self.placeByteCount)
        for (number, range) in zip(first..., ranges) {
          guard let range else { continue }
          block += completed(number, try spool.read(range))
          if block.count >= TextSpool.blockByteCount {
            try write(block)
            block.removeAll(keepingCapacity: true)
          }
        }
      }
      try write(block)
    }
  }

  /// Where in the spool the texts of some numbers are: at most `count`, fewer at the end.
  private func readPlaces(from number: Int, count: Int) throws(SystemCallError) -> [Range<Int64>?] {
    if let failure { throw failure }
    let bytes = try SystemCalls.preadAll(
      places.raw, limit: count * Self.placeByteCount, at: Self.offset(number))
    return stride(from: 0, to: bytes.count - Self.placeByteCount + 1, by: Self.placeByteCount).map { start in
      let offset = Int64(in: bytes[...], at: start) - 1
      return offset < 0 ? nil : offset..<(offset + Int64(in: bytes[...], at: start + Int64.byteCount))
    }
  }

  private static func offset(_ number: Int) -> Int64 { Int64(number * placeByteCount) }
}
