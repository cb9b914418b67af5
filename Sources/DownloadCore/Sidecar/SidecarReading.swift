/// The content of a sidecar: the newer valid record of its two slots.
package struct SidecarReading: Equatable, Sendable {
  /// Why a sidecar cannot be used.
  package enum Unusable: Hashable, Sendable {
    case damaged, foreign
    /// Other users could write to it.
    case exposed
    case future(version: UInt32)
  }

  package enum Outcome: Equatable, Sendable {
    /// A new file, or one without a record.
    case empty
    case record(SidecarRecord)
    case unusable(Unusable)
  }

  package private(set) var outcome: Outcome
  /// The slot of the newest synced record. The next record goes to the other slot.
  package let protectedSlot: Int?
  /// The slot of the record in `outcome`.
  package let newestSlot: Int?
  /// The highest sequence found.
  package let highestSequence: UInt64

  /// The offset of the holder's line, after the two slots.
  package static let holderOffset = Int64(2 * SidecarSlot.byteCount)
  /// The length of the holder's line.
  package static let holderByteCount = 64

  /// Whether the file is a sidecar of any version of swiftget: a slot has the magic, or there is a holder's line.
  ///
  /// - Parameter bytes: the file up to and including the holder's line, or as much of it as exists.
  package static func isSigned(_ bytes: [UInt8]) -> Bool {
    if (0..<2).contains(where: { bytes.dropFirst($0 * SidecarSlot.byteCount).starts(with: SidecarSlot.magic) }) {
      return true
    }
    let line = bytes.dropFirst(Int(holderOffset))
    return line.count == holderByteCount && line.starts(with: "pid ".utf8) && line.last == UInt8(ascii: "\n")
      && line.dropFirst(4).dropLast().allSatisfy { $0.isDigit || $0 == UInt8(ascii: " ") }
  }

  /// The same reading as unusable.
  package func refused(_ reason: Unusable) -> SidecarReading {
    var reading = self
    reading.outcome = .unusable(reason)
    return reading
  }

  /// - Parameter bytes: both slots, or as much of them as exists.
  package init(_ bytes: [UInt8]) {
    let slots = (0..<2).map { index in
      let start = min(index * SidecarSlot.byteCount, bytes.count)
      return SidecarSlot.decode(bytes[start..<min(start + SidecarSlot.byteCount, bytes.count)])
    }
    var newest: SidecarRecord?
    var newestSlot: Int?
    var synced: (slot: Int, sequence: UInt64)?
    var future: UInt32?
    for (index, slot) in slots.enumerated() {
      switch slot {
      case .record(let record, let isSynced):
        if newest.map({ $0.sequence < record.sequence }) ?? true { (newest, newestSlot) = (record, index) }
        if isSynced, synced.map({ $0.sequence < record.sequence }) ?? true { synced = (index, record.sequence) }
      case .future(let version): future = version
      case .empty, .damaged, .foreign: break
      }
    }
    self.newestSlot = newestSlot
    highestSequence = newest?.sequence ?? 0
    protectedSlot = future == nil ? synced?.slot : nil
    outcome =
      if let future {
        // A newer version wrote a record, which cannot be compared with the other slot.
        .unusable(.future(version: future))
      } else if let newest {
        .record(newest)
      } else if slots == [.empty, .empty] {
        .empty
      } else if slots.contains(.foreign) && !slots.contains(.damaged) {
        .unusable(.foreign)
      } else {
        .unusable(.damaged)
      }
  }
}
