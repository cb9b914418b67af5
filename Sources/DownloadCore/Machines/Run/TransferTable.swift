/// The active transfers of a run, each with the item and the host that it belongs to.
struct TransferTable {
  struct Entry {
    let item: ItemHandle
    fileprivate(set) var group: GroupID = .main
    /// Index into the request's mirrors.
    let mirror: Int
    let host: HostEntry
    /// Whether it requested the whole file.
    let isWhole: Bool
    /// Whether it is the probe of a suspected or unreachable host.
    let isProbe: Bool
    /// `TransferOrder.avoidsHTTP2`
    var avoidsHTTP2 = false
    /// Whether its answer has content.
    fileprivate(set) var isServed = false
    /// Whether its answer is final without content.
    fileprivate(set) var lacksContent = false
    /// Whether it was told to end at its next block.
    fileprivate(set) var isGivenUp = false
  }

  private var entries: [TransferID: Entry] = [:]
  private var nextNumber = 0

  var count: Int { entries.count }

  subscript(id: TransferID) -> Entry? { entries[id] }

  /// Returns a new ID.
  mutating func makeID() -> TransferID {
    defer { nextNumber += 1 }
    return TransferID(number: nextNumber)
  }

  /// The latest one; before the first, one that no transfer has.
  var lastID: TransferID { TransferID(number: nextNumber - 1) }

  mutating func insert(_ entry: Entry, as id: TransferID) { entries[id] = entry }

  mutating func remove(_ id: TransferID) -> Entry? { entries.removeValue(forKey: id) }

  /// The transfer receives content.
  mutating func served(_ id: TransferID) { entries[id]?.isServed = true }

  /// The transfer's answer is final, and has no content that is stored.
  mutating func answeredWithoutContent(_ id: TransferID) { entries[id]?.lacksContent = true }

  /// The transfer is to end at its next block.
  mutating func gaveUp(_ id: TransferID) { entries[id]?.isGivenUp = true }

  /// The item belongs to another group now.
  mutating func move(_ item: ItemHandle, to group: GroupID) {
    for (id, entry) in entries where entry.item == item { entries[id]?.group = group }
  }

  func givenUpCount(where isWanted: (Entry) -> Bool) -> Int {
    entries.values.count { $0.isGivenUp && isWanted($0) }
  }

  /// Transfers that have not been told to end, the latest first.
  func latest(where isWanted: (Entry) -> Bool) -> [(id: TransferID, entry: Entry)] {
    entries.filter { !$0.value.isGivenUp && isWanted($0.value) }.map { ($0.key, $0.value) }
      .sorted { $0.id.number > $1.id.number }
  }

  /// The number of transfers of a group; of all for nil.
  func count(of group: GroupID?) -> Int {
    group.map { group in entries.values.count { $0.group == group } } ?? entries.count
  }

  /// The number of a host's transfers that receive content.
  func servedCount(at host: HostEntry) -> Int { entries.values.count { $0.host === host && $0.isServed } }

  /// Items with transfers, in the order of their numbers.
  var items: [ItemHandle] { Set(entries.values.lazy.map(\.item)).sorted() }

  /// Probes of suspected hosts.
  var probesOfSuspects: [TransferID] {
    entries.filter { $0.value.isProbe && $0.value.host.governor.isSuspected }.map(\.key)
  }
}
