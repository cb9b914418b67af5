/// An identifier that this program counts up.
///
/// Nobody outside chooses it, so a dictionary of such identifiers needs no hash that is hard to predict. Half of the time
/// of a lookup would go into one.
public protocol CountedID: Hashable {
  associatedtype Number: BinaryInteger
  var number: Number { get }
}

extension CountedID {
  /// Fibonacci hashing: the product with 2^64 divided by the golden ratio spreads consecutive numbers.
  @inlinable public func _rawHashValue(seed: Int) -> Int {
    let product = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: product ^ product >> 32) ^ seed
  }
}

/// Identifies a task for life. Whoever adds a task gives it, and never gives it again.
public struct TaskID: CountedID, Comparable, Sendable {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }

  /// The task of the request at this position of a list, counted from 0.
  public init(position: Int) { number = UInt64(position) }

  /// Where the request stands in the list, if the id comes from `init(position:)`.
  public var position: Int { Int(clamping: number) }

  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// Identifies one beginning of a task.
///
/// Handles count up and are never used twice, so an answer to an earlier beginning is not taken for one to the present.
package struct ItemHandle: CountedID, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A named queue within a session, which has limits of its own.
package struct GroupID: Hashable, Sendable {
  package let number: UInt16

  package init(_ number: UInt16) { self.number = number }

  /// The group of tasks that name none.
  package static let main = GroupID(0)
}
