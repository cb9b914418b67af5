/// A queue of items, first in, first out. Appending and taking cost constant time.
struct ItemQueue: Sendable {
  private var items: [Int] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }
  var first: Int? { isEmpty ? nil : items[head] }

  mutating func append(_ item: Int) { items.append(item) }

  mutating func popFirst() -> Int? {
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
    return items[head]
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

  /// Takes the next item whose time has come; nil where none is due.
  mutating func popDue(now: Instant) -> Int? {
    while let first = heap.first, first.at <= now {
      removeFirst()
      if first.item != Self.wake { return first.item }
    }
    return nil
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
