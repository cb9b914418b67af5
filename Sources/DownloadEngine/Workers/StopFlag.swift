internal import Synchronization

/// Tells threads that nobody waits for the rest of their work. They look at it at least every 256 KiB.
package final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { flag.load(ordering: .relaxed) }

  package func set() { flag.store(true, ordering: .relaxed) }
}
