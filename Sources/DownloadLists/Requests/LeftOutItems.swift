/// Items that are not downloaded by themselves, and why. Memory: 8 bytes for each.
struct LeftOutItems {
  enum Reason: Equatable {
    /// An earlier item has the same target, and holds what this one says about it.
    case part(of: Int)
    /// It is invalid or contradicts another one, and the run keeps going.
    case refused
  }

  private static let refused = -1

  /// The earlier item of each, or `refused`.
  private var places = ItemNumbers()

  var count: Int { places.count }

  func contains(_ item: Int) -> Bool { places[item] != nil }

  /// A further reason replaces the one before.
  mutating func insert(_ item: Int, _ reason: Reason) {
    switch reason {
    case .part(let earlier): places.set(item, earlier)
    case .refused: places.set(item, Self.refused)
    }
  }

  /// Nil for an item that is not left out. What is a part of a refused item is refused with it.
  subscript(_ item: Int) -> Reason? {
    guard let place = places[item] else { return nil }
    return place == Self.refused || contains(place) ? .refused : .part(of: place)
  }
}
