internal import Synchronization

/// Counts what several threads do.
package final class SharedCounter: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var value: Int { count.load(ordering: .relaxed) }

  package func add(_ amount: Int) { count.wrappingAdd(amount, ordering: .relaxed) }
}
