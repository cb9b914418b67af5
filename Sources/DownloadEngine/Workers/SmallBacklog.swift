internal import Synchronization

/// Counts the bytes of small files that are in memory until a worker has written them.
final class SmallBacklog: Sendable {
  private let count = Atomic<Int>(0)

  var byteCount: Int { count.load(ordering: .relaxed) }

  func add(_ bytes: Int) { count.add(bytes, ordering: .relaxed) }

  func remove(_ bytes: Int) { count.subtract(bytes, ordering: .relaxed) }
}
