internal import Synchronization

/// Tells threads that nobody waits for the rest of their work.
final class StopFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}

/// Counts what several threads do.
final class SharedCounter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ amount: Int) { count.wrappingAdd(amount, ordering: .relaxed) }
}
