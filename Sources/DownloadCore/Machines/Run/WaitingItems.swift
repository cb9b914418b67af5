/// Items that wait for a host: the highest priority first, and first in, first out within one priority.
///
/// Taking costs constant time, and so does appending with the lowest priority of those that wait. The others follow
/// commands, which are rare, and take time in proportion to the length.
package struct ItemQueue: Sendable {
  private struct Entry {
    let item: ItemHandle
    let priority: Int
  }

  private var items: [Entry] = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == items.count }
  package var first: ItemHandle? { isEmpty ? nil : items[head].item }

  package mutating func append(_ item: ItemHandle, priority: Int = 0) {
    let index = items[head...].lastIndex { $0.priority >= priority }.map { $0 + 1 } ?? head
    items.insert(Entry(item: item, priority: priority), at: index)
  }

  package mutating func remove(_ item: ItemHandle) {
    if first == item {
      _ = popFirst()
      return
    }
    if let index = items[head...].firstIndex(where: { $0.item == item }) { items.remove(at: index) }
  }

  /// The first item for which this is true.
  package func first(where isWanted: (ItemHandle) -> Bool) -> ItemHandle? {
    items[head...].first { isWanted($0.item) }?.item
  }

  package mutating func popFirst() -> ItemHandle? {
    guard head < items.count else { return nil }
    defer {
      head += 1
      if head == items.count {
        items.removeAll(keepingCapacity: true)
        head = 0
      } else if head > 1024, head * 2 > items.count {
        items.removeFirst(head)
        head = 0
      }
    }
    return items[head].item
  }
}

/// Items that wait until a time.
struct DelayedItems {
  private struct Delay: Comparable {
    let at: Instant
    /// Nil only makes the driver call `ticked` at the time.
    let item: ItemHandle?

    static func < (left: Self, right: Self) -> Bool { left.at < right.at }
  }

  private var heap = Heap<Delay>()

  var earliest: Instant? { heap.first?.at }

  mutating func insert(_ item: ItemHandle, at instant: Instant) { heap.insert(Delay(at: instant, item: item)) }

  mutating func insertWake(at instant: Instant) {
    if let first = heap.first, first.item == nil, first.at <= instant { return }
    heap.insert(Delay(at: instant, item: nil))
  }

  /// Takes the items whose time has come, the earliest first. What is inserted afterwards waits for the next call,
  /// whatever its time.
  mutating func takeDue(now: Instant) -> [ItemHandle] {
    var due: [ItemHandle] = []
    while let first = heap.first, first.at <= now {
      heap.removeFirst()
      if let item = first.item { due.append(item) }
    }
    return due
  }
}
