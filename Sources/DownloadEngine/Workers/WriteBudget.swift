internal import Synchronization

/// The memory of a process that may hold blocks for writers.
final class WriteBudget: Sendable {
  private let leased = Atomic<Int>(0)
  private static let limit = 16 << 20

  func lease(byteCount: Int) -> WriteLease? {
    guard leased.add(byteCount, ordering: .relaxed).newValue <= Self.limit else {
      leased.subtract(byteCount, ordering: .relaxed)
      return nil
    }
    return WriteLease(self, byteCount: byteCount)
  }

  fileprivate func giveBack(_ byteCount: Int) { leased.subtract(byteCount, ordering: .relaxed) }
}

/// A part of the budget, which has it back when nobody refers to the lease any more.
final class WriteLease: Sendable {
  private let budget: WriteBudget
  private let byteCount: Int

  fileprivate init(_ budget: WriteBudget, byteCount: Int) {
    self.budget = budget
    self.byteCount = byteCount
  }

  deinit { budget.giveBack(byteCount) }
}
