/// What a whole sidecar file says: the newest of its two slots that can be believed.
package struct SidecarReading: Equatable, Sendable {
  /// Why nothing of a sidecar can be used, for one line to a person.
  package enum Unusable: Equatable, Sendable {
    case damaged, foreign
    /// Other users could write to it.
    case exposed
    case future(version: UInt32)

    /// Reads on from `the sidecar is ignored: `.
    package var text: String {
      switch self {
      case .damaged: "it is damaged"
      case .foreign: "it is not a sidecar of swiftget"
      case .exposed: "other users could write to it"
      case .future(let version): "its format version \(version) is newer than this program"
      }
    }
  }

  package enum Outcome: Equatable, Sendable {
    /// A new file, or one that was made and never written.
    case empty
    case record(SidecarRecord)
    case unusable(Unusable)
  }

  package private(set) var outcome: Outcome
  /// The slot with the newest record that says it was synced; the next record goes to the other one.
  package let protectedSlot: Int?
  /// The slot of the record in `outcome`.
  package let newestSlot: Int?
  /// The highest sequence found.
  package let highestSequence: UInt64

  /// Where the holder's line stands, behind the two slots.
  package static let holderOffset = Int64(2 * SidecarSlot.byteCount)
  /// Room for the holder's line.
  package static let holderByteCount = 64

  /// Whether a file is a sidecar that this program, of whatever version, has made: a slot bears the magic, or the
  /// holder's line stands behind slots that have not been written yet.
  ///
  /// - Parameter bytes: the file from its start, the holder's line included, or as much as there is.
  package static func isSigned(_ bytes: [UInt8]) -> Bool {
    if (0..<2).contains(where: { bytes.dropFirst($0 * SidecarSlot.byteCount).starts(with: SidecarSlot.magic) }) {
      return true
    }
    let line = bytes.dropFirst(Int(holderOffset))
    return line.count == holderByteCount && line.starts(with: "pid ".utf8) && line.last == UInt8(ascii: "\n")
      && line.dropFirst(4).dropLast().allSatisfy { (0x30...0x39).contains($0) || $0 == 0x20 }
  }

  /// The same reading, of which nothing is used.
  package func refused(_ reason: Unusable) -> SidecarReading {
    var reading = self
    reading.outcome = .unusable(reason)
    return reading
  }

  /// - Parameter bytes: the file from its start, both slots or as much as there is.
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
        // A newer program has written here last, and what it wrote cannot be weighed against the other slot.
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
