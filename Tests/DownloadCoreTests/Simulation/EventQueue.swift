import DownloadCore

/// Events in order of time; events at the same time in order of insertion.
struct EventQueue<Event> {
  private var heap: [(at: Instant, number: Int, event: Event)] = []
  private var count = 0

  var earliest: Instant? { heap.first?.at }

  private func precedes(_ a: Int, _ b: Int) -> Bool {
    (heap[a].at.nanoseconds, heap[a].number) < (heap[b].at.nanoseconds, heap[b].number)
  }

  mutating func insert(_ event: Event, at instant: Instant) {
    heap.append((instant, count, event))
    count += 1
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> Event? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, least) { least = child }
      if least == parent { return first.event }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  mutating func removeAll(where isGone: (Event) -> Bool) {
    let left = heap.filter { !isGone($0.event) }.sorted {
      ($0.at.nanoseconds, $0.number) < ($1.at.nanoseconds, $1.number)
    }
    heap = left
  }
}
