internal import DownloadCore

/// Which requests are items of the run: those of its shard that are neither refused nor parts of others.
struct ItemSelection {
  let shard: ShardFilter
  private(set) var leftOut = LeftOutItems()
  /// Items of other shards.
  private(set) var otherShardsCount = 0

  init(_ shard: ShardFilter) { self.shard = shard }

  func contains(_ request: FileRequest) -> Bool {
    !leftOut.contains(request.task.position) && shard.contains(request)
  }

  /// Counts an item that is not left out.
  mutating func count(isOfShard: Bool) { if !isOfShard { otherShardsCount += 1 } }

  /// Leaves out a request that is not counted.
  mutating func refuse(_ request: FileRequest) { leftOut.insert(request.task.position, .refused) }

  /// Leaves out a counted item.
  ///
  /// - Parameter request: one with the same target.
  mutating func leaveOut(_ item: Int, of request: FileRequest, _ reason: LeftOutItems.Reason = .refused) {
    if !leftOut.contains(item), !shard.contains(request) { otherShardsCount -= 1 }
    leftOut.insert(item, reason)
  }
}
