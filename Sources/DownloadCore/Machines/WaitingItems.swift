/// A queue of items: the highest priority first, and first in, first out within one priority.
///
/// Taking costs constant time, and so does appending with the lowest priority of those that wait. The other operations
/// take time in proportion to the length; they follow commands, which are rare.
package struct ItemQueue: Sendable {
  private struct Entry {
    let item: Int
    let priority: Int
  }

  private var items: [Entry] = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == items.count }
  package var first: Int? { isEmpty ? nil : items[head].item }

  package mutating func append(_ item: Int, priority: Int = 0) {
    let index = items[head...].lastIndex { $0.priority >= priority }.map { $0 + 1 } ?? head
    items.insert(Entry(item: item, priority: priority), at: index)
  }

  /// Puts the item before all others of its priority.
  package mutating func prepend(_ item: Int, priority: Int) {
    let index = items[head...].firstIndex { $0.priority <= priority } ?? items.count
    items.insert(Entry(item: item, priority: priority), at: index)
  }

  /// Takes out the items that are named, in the order in which they stand.
  package mutating func removeAll(where isNamed: (Int) -> Bool) -> [Int] {
    let named = items[head...].filter { isNamed($0.item) }.map(\.item)
    if named.isEmpty { return [] }
    items = items[head...].filter { !isNamed($0.item) }
    head = 0
    return named
  }

  /// - Returns: whether the item was in the queue.
  @discardableResult
  package mutating func remove(_ item: Int) -> Bool {
    guard let index = items[head...].firstIndex(where: { $0.item == item }) else { return false }
    items.remove(at: index)
    return true
  }

  package mutating func popFirst() -> Int? {
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

/// Items that wait until a time: a binary heap, ordered by that time.
struct DelayedItems: Sendable {
  private var heap: [(at: Instant, item: Int)] = []

  /// Stands for an entry without item, which only makes the driver call `ticked` at its time.
  private static let wake = Int.min

  var earliest: Instant? { heap.first?.at }

  mutating func insert(_ item: Int, at instant: Instant) {
    heap.append((instant, item))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].at < heap[parent].at else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func insertWake(at instant: Instant) {
    if let first = heap.first, first.item == Self.wake, first.at <= instant { return }
    insert(Self.wake, at: instant)
  }

  /// Takes the items whose time has come, the earliest first. What is inserted afterwards waits for the next call,
  /// whatever its time.
  mutating func takeDue(now: Instant) -> [Int] {
    var due: [Int] = []
    while let first = heap.first, first.at <= now {
      removeFirst()
      if first.item != Self.wake { due.append(first.item) }
    }
    return due
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].at < heap[least].at {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
