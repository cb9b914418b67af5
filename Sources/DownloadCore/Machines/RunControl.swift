/// What commands have decided about items, including items that have not begun.
///
/// Of the commands that name an item, its group or the run the latest decides.
package struct RunControl: Sendable {
  package enum Verdict: Hashable, Sendable {
    case proceed
    case hold
    case withdraw(Withdrawal)
  }

  /// One kind of decision, made for items, groups and the run.
  private struct Decisions<Value: Sendable>: Sendable {
    private(set) var latest: [RunCommand.Selection: (number: Int, value: Value)] = [:]
    private var count = 0

    var isEmpty: Bool { latest.isEmpty }

    mutating func decide(_ selection: RunCommand.Selection, _ value: Value) {
      // A decision about the run overrides all earlier ones.
      if selection == .run { latest.removeAll() }
      count += 1
      latest[selection] = (count, value)
    }

    func value(for item: Int, of group: Int) -> Value? {
      if isEmpty { return nil }
      return [latest[.item(item)], latest[.group(group)], latest[.run]].compactMap(\.self)
        .max { $0.number < $1.number }?.value
    }

    mutating func forget(_ item: Int) { if !isEmpty { latest[.item(item)] = nil } }
  }

  private var holds = Decisions<Bool>()
  /// nil is for a request that was added after its group was withdrawn.
  private var withdrawals = Decisions<Withdrawal?>()
  private var priorities = Decisions<Int>()

  package init() {}

  package mutating func decide(_ selection: RunCommand.Selection, _ change: RunCommand.Change) {
    switch change {
    case .pause: holds.decide(selection, true)
    case .resume: holds.decide(selection, false)
    case .cancel: withdrawals.decide(selection, .cancelled)
    case .remove: withdrawals.decide(selection, .removed)
    case .prioritize(let priority): priorities.decide(selection, priority)
    case .moveToFront, .moveToBack: break
    }
  }

  package func verdict(on item: Int, of group: Int) -> Verdict {
    if let withdrawal = withdrawals.value(for: item, of: group) ?? nil { return .withdraw(withdrawal) }
    return holds.value(for: item, of: group) == true ? .hold : .proceed
  }

  /// Whether no item proceeds, whichever comes next.
  package var holdsEverything: Bool {
    holds.latest[.run]?.value == true && holds.latest.allSatisfy { $0.value.value }
  }

  /// A request is added. What was withdrawn before does not include it.
  package mutating func added(_ item: Int) {
    if !withdrawals.isEmpty { withdrawals.decide(.item(item), nil) }
  }

  /// The priority that a command gave; nil where the request's own counts.
  package func priority(of item: Int, in group: Int) -> Int? { priorities.value(for: item, of: group) }

  /// The item has ended: what was decided about it alone is of no more use.
  package mutating func forget(_ item: Int) {
    holds.forget(item)
    withdrawals.forget(item)
    priorities.forget(item)
  }
}
