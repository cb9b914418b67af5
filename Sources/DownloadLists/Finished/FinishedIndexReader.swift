internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// Reads an index of finished files along with a list that has nearly the same order.
///
/// Three parts of the index are in memory: the one to which the names of the list belong that come now, and its
/// neighbours, because transfers that run at the same time end in any order. A name further away is not found.
final class FinishedIndexReader {
  let head: FinishedIndexHead
  private let file: FileDescriptor
  private var offset: Int64
  private var parts: (last: Part, current: Part, next: Part) = (Part(), Part(), Part())
  /// Names that were found in the next part.
  private var foundAhead = 0
  private let byteCount: Int64

  /// Some records, found by their keys.
  private struct Part {
    var bytes: [UInt8] = []
    /// Where the records begin.
    var starts: [UInt32] = []
    /// The keys of the records.
    private var keys: [UInt64] = []
    /// At the place of a key's lowest bits, or the next free one: the number of its record, counted from 1.
    private var table: [UInt16] = []
    /// Of all records.
    private(set) var byteCount = 0

    static let mostRecords = 4096
    private static let tableCount = 2 * mostRecords

    init() {}

    /// Takes the records at the beginning of `bytes`.
    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      table = [UInt16](repeating: 0, count: Self.tableCount)
      var start = 0
      while starts.count < Self.mostRecords, let end = FinishedFileRecord.end(ofRecordAt: start, in: bytes) {
        starts.append(UInt32(start))
        let key = FinishedFileRecord.key(ofRecordAt: start, in: bytes)
        keys.append(key)
        var place = Self.place(of: key)
        while table[place] != 0 { place = (place + 1) % Self.tableCount }
        table[place] = UInt16(starts.count)
        start = end
      }
      byteCount = start
    }

    private static func place(of key: UInt64) -> Int { Int(truncatingIfNeeded: key) & (tableCount - 1) }

    func record(ofKey key: UInt64) -> FinishedFileRecord? {
      if starts.isEmpty { return nil }
      var place = Self.place(of: key)
      while table[place] != 0 {
        let number = Int(table[place]) - 1
        if keys[number] == key { return FinishedFileRecord(at: Int(starts[number]), in: bytes) }
        place = (place + 1) % Self.tableCount
      }
      return nil
    }
  }

  /// Nil where there is no index that is the user's own.
  init?(_ path: [UInt8]) {
    guard
      let file = try? SystemCalls.openat(SystemCalls.workingDirectory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let status = try? SystemCalls.fstat(file.raw), status.kind == .regular, status.owner == SystemCalls.user,
      // Nobody else could write to it.
      status.mode & 0o022 == 0, status.linkCount == 1,
      let bytes = try? SystemCalls.preadAll(file.raw, limit: FinishedIndexHead.mostBytes, at: 0),
      let (head, byteCount) = FinishedIndexHead.read(bytes)
    else { return nil }
    self.file = file
    self.head = head
    offset = Int64(byteCount)
    self.byteCount = status.size
  }

  /// Has space for the records of a part.
  private static let blockByteCount = 512 << 10

  private func nextBlock() -> [UInt8] {
    let limit = Int(min(Int64(Self.blockByteCount), max(0, byteCount - offset)))
    return (try? SystemCalls.preadAll(file.raw, limit: limit, at: offset)) ?? []
  }

  private func nextPart() -> Part {
    let part = Part(nextBlock())
    offset += Int64(part.byteCount)
    return part
  }

  /// Reads all records, instead of looking for some.
  ///
  /// - Parameter body: returns whether it wants more.
  /// - Returns: whether it has had them all.
  func readAll(_ body: (FinishedFileRecord) -> Bool) -> Bool {
    var count: UInt64 = 0
    while true {
      let block = nextBlock()
      var start = 0
      while let end = FinishedFileRecord.end(ofRecordAt: start, in: block) {
        guard let record = FinishedFileRecord(at: start, in: block), body(record) else { return false }
        count += 1
        start = end
      }
      if start == 0 { return offset == byteCount && count == head.count }
      offset += Int64(start)
    }
  }

  /// Notes that the index was used.
  func touch() { try? SystemCalls.futimens(file.raw, modified: nil) }

  func file(ofKey key: UInt64) -> FinishedFile? {
    if parts.current.starts.isEmpty { (parts.current, parts.next) = (nextPart(), nextPart()) }
    if let record = parts.current.record(ofKey: key) { return record.file }
    if let record = parts.next.record(ofKey: key) {
      foundAhead += 1
      if foundAhead > parts.next.starts.count / 2 {
        parts = (parts.current, parts.next, nextPart())
        foundAhead = 0
      }
      return record.file
    }
    return parts.last.record(ofKey: key)?.file
  }
}
