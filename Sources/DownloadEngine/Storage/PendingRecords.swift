/// Records of an item that the storage thread may have before it. What it has not begun can be taken back.
struct PendingRecords {
  /// The sync that the storage thread has not answered yet. A record follows it.
  var sync: Revocable<FilesToSync>?
  private var writes: [Revocable<RecordToWrite>] = []

  /// - Returns: what the thread gets.
  mutating func add(_ record: RecordToWrite) -> Revocable<RecordToWrite> {
    let order = Revocable(record)
    writes.removeAll(where: \.isOver)
    writes.append(order)
    return order
  }

  /// - Returns: records that wait, and are not written any more.
  @discardableResult
  func takeBack() -> [RecordToWrite] { writes.compactMap { $0.takeBack() } }

  /// Takes back a sync, too, which is not wanted any more.
  ///
  /// - Returns: the records of `takeBack`, and whether the thread is at work on others or on the sync.
  func takeBackAll() -> (records: [RecordToWrite], areUnderWay: Bool) {
    let isSyncing = sync.map { $0.takeBack() == nil && !$0.isOver } ?? false
    let records = takeBack()
    return (records, isSyncing || writes.contains(where: \.isUnderWay))
  }
}
