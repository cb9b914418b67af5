/// Items that are not downloaded by themselves, and why. Memory: 8 bytes for each, in a table with free places.
struct LeftOutItems {
  enum Reason: Equatable {
    /// An earlier item has the same target, and holds what this one says about it.
    case part(of: Int)
    /// It is invalid or contradicts another one, and the run keeps going.
    case refused
  }

  private static let refused: Int32 = -1

  private var places: [Int32: Int32] = [:]

  var count: Int { places.count }

  func contains(_ item: Int) -> Bool { places[Int32(clamping: item)] != nil }

  mutating func insert(_ item: Int, _ reason: Reason) {
    switch reason {
    case .part(let earlier): places[Int32(clamping: item)] = Int32(clamping: earlier)
    case .refused: places[Int32(clamping: item)] = Self.refused
    }
  }

  /// Nil for an item that is not left out. What is a part of a refused item is refused with it.
  subscript(_ item: Int) -> Reason? {
    guard let place = places[Int32(clamping: item)] else { return nil }
    return place == Self.refused || places[place] != nil ? .refused : .part(of: Int(place))
  }
}
