/// The places of items that wait for long before their next requests. Others have them meanwhile.
///
/// having its place ──lend──► lender ──wait over, a place free──► having its place
package struct LentPlaces {
  /// Items that waited for long at the last look, those that wait longest last.
  private var candidates: [ItemHandle] = []
  /// Items without a place, in the order in which they lent it. Those that have left meanwhile are passed over.
  private var lenders: [(item: ItemHandle, waitEnd: Instant)] = []
  /// When `giveBack` is to be called at the latest.
  package var nextDue: Instant? { lenders.lazy.map(\.waitEnd).min() }

  package init() {}

  /// Whether a place may be lent.
  package var hasCandidates: Bool { !candidates.isEmpty }

  /// Looks which items wait for long. Costs time in proportion to the number of items.
  package mutating func look(at machine: borrowing RunMachine, now: Instant) {
    candidates = machine.longWaits(now: now)
  }

  /// Lends the place of an item that waits for long, if that lets something begin or go on.
  ///
  /// - Parameters:
  ///   - other: the item that lacks a place; nil for a task that has not begun.
  ///   - besides: as for `QueueMachine.hasPlace`.
  /// - Returns: whether there was one.
  package mutating func lend(
    to other: ItemHandle? = nil, besides finishingCount: Int = 0, _ queue: inout QueueMachine,
    _ machine: inout RunMachine, now: Instant
  ) -> Bool {
    while let item = candidates.popLast() {
      // Meanwhile its wait may be over.
      guard let end = machine.longWaitEnd(of: item, now: now) else { continue }
      let isWanted =
        if let other {
          queue.isPlaceWanted(of: item, by: other, besides: finishingCount)
        } else {
          queue.isPlaceWanted(of: item, besides: finishingCount) { machine.isAnswering($0, now: now) }
        }
      guard isWanted else { continue }
      queue.leavePlace(item)
      machine.leavePlace(item)
      lenders.append((item, end))
      return true
    }
    return false
  }

  /// Has the items go on whose waits are over, as far as there are places for them.
  package mutating func giveBack(
    besides finishingCount: Int = 0, _ queue: inout QueueMachine, _ machine: inout RunMachine, now: Instant,
    _ actions: inout [RunAction]
  ) {
    guard !lenders.isEmpty else { return }
    let waiting = lenders
    lenders = []
    for (item, _) in waiting where queue.task(of: item) != nil {
      // Its host may have asked for more time.
      if let end = machine.waitEnd(of: item, now: now) {
        lenders.append((item, end))
      } else if queue.mayTakePlace(item, besides: finishingCount)
        || lend(to: item, besides: finishingCount, &queue, &machine, now: now)
      {
        queue.takePlace(item)
        machine.resume(item, now: now, &actions)
      } else {
        // Whatever frees a place wakes the loop.
        lenders.append((item, .distantFuture))
      }
    }
  }
}
