internal import DownloadCore

/// What the device's writer has of one item and has not answered yet. It takes everything in order.
struct OutstandingWrites {
  private struct Entry {
    let number: Int
    /// Nil for a job that the writer only hands on.
    let transfer: TransferID?
    /// Bytes of the part file.
    let range: Range<Int64>
    /// That the bytes came from, by the number that the machine gives it.
    let mirror: Int
    /// The part file has lost its name since.
    var isVoid = false
  }

  private var entries: [Entry] = []
  private var lastNumber = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Blocks of this transfer.
  func count(of transfer: TransferID) -> Int { entries.reduce(0) { $0 + ($1.transfer == transfer ? 1 : 0) } }

  /// Whether some of these bytes of the part file are being written.
  func overlap(_ range: Range<Int64>) -> Bool { entries.contains { !$0.isVoid && $0.range.overlaps(range) } }

  /// - Returns: the number that the answer has to carry.
  mutating func add(_ transfer: TransferID? = nil, _ range: Range<Int64> = 0..<0, mirror: Int = 0) -> Int {
    lastNumber += 1
    entries.append(Entry(number: lastNumber, transfer: transfer, range: range, mirror: mirror))
    return lastNumber
  }

  /// The bytes that will be in the part file if nothing fails, and their mirrors.
  ///
  /// - Parameter isWanted: whether those of a transfer are.
  func promised(_ isWanted: (TransferID) -> Bool) -> [(range: Range<Int64>, mirror: Int)] {
    entries.compactMap { entry in
      guard !entry.isVoid, let transfer = entry.transfer, isWanted(transfer) else { return nil }
      return (entry.range, entry.mirror)
    }
  }

  /// Another part file takes the place of the one that is being written.
  mutating func voidAll() {
    for index in entries.indices { entries[index].isVoid = true }
  }

  /// - Returns: what is written now; nil if it is of no use any more.
  mutating func answered(_ number: Int) -> (transfer: TransferID, range: Range<Int64>, mirror: Int)? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    let entry = entries.remove(at: index)
    guard let transfer = entry.transfer, !entry.isVoid else { return nil }
    return (transfer, entry.range, entry.mirror)
  }
}
