/// Brings results that come in any order into that of their numbers, within a window.
///
/// Memory depends on the window only: whoever begins work asks `hasRoom` first.
package struct OrderedResults<Value> {
  private var slots: [Value?]
  /// The number of the next result to take.
  private var first = 0
  /// The number of the next work to begin.
  private var end = 0

  /// - Parameter window: results that may be begun and not taken yet; at least 1.
  package init(window: Int) { slots = Array(repeating: nil, count: max(1, window)) }

  /// Whether one more may be begun.
  package var hasRoom: Bool { end - first < slots.count }

  /// Whether every result that was begun has been taken.
  package var isEmpty: Bool { first == end }

  /// Begins the next work. Requires room.
  /// - Returns: its number, counted from 0.
  package mutating func begin() -> Int {
    precondition(hasRoom, "a result beyond the window")
    end += 1
    return end - 1
  }

  /// - Parameter number: as `begin` gave it; not put before.
  package mutating func put(_ value: Value, number: Int) {
    precondition((first..<end).contains(number), "a result that was not begun")
    slots[number % slots.count] = value
  }

  /// The next result in order; nil while it is not there.
  package mutating func take() -> Value? {
    guard first < end, let value = slots[first % slots.count].take() else { return nil }
    first += 1
    return value
  }
}
