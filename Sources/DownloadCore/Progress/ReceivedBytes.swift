/// Body bytes received for one item in a run, by the mirror that sent them, of use or not.
package struct ReceivedBytes: Sendable, Equatable {
  package private(set) var total: Int64
  /// Those of all mirrors but the first one. Empty, and thus without memory of its own, for nearly all items.
  private var others: [Int: Int64] = [:]

  /// - Parameter total: from the first mirror.
  package init(_ total: Int64 = 0) { self.total = total }

  /// - Parameter mirror: the number of the mirror in the request.
  package mutating func add(_ byteCount: Int64, mirror: Int) {
    total += byteCount
    if mirror > 0 { others[mirror, default: 0] += byteCount }
  }

  /// - Parameter mirror: the number of the mirror in the request.
  package func from(mirror: Int) -> Int64 {
    mirror > 0 ? others[mirror] ?? 0 : total - others.values.reduce(0, +)
  }
}
