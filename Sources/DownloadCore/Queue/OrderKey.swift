/// Where a task stands among those that wait: the highest priority first, then the lowest rank.
struct OrderKey: Hashable, Comparable, Sendable {
  /// The priority in the upper 8 bits, negated, and the rank in the others.
  private let value: Int64

  private static let rankBits: Int64 = 56
  /// The distance of ranks that follow each other, so that a task can be moved between two others.
  static let gap: Int64 = 1 << 20

  /// - Parameters:
  ///   - priority: limited to -100...100.
  ///   - rank: in -2^55..<2^55.
  init(priority: Int, rank: Int64) {
    value = -Int64(max(-100, min(100, priority))) << Self.rankBits + rank
  }

  var priority: Int { Int(-((value + 1 << (Self.rankBits - 1)) >> Self.rankBits)) }
  var rank: Int64 { value + Int64(priority) << Self.rankBits }

  static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// The ranks that were given so far.
struct Ranks {
  private var first: Int64 = 0
  private var last: Int64 = 0

  /// What `afterAll` would give.
  var next: Int64 { last + OrderKey.gap }

  mutating func beforeAll() -> Int64 {
    first -= OrderKey.gap
    return first
  }

  mutating func afterAll() -> Int64 {
    last = next
    return last
  }

  /// Ranks before and after all others stay so.
  mutating func cover(_ rank: Int64) {
    first = min(first, rank)
    last = max(last, rank)
  }
}
