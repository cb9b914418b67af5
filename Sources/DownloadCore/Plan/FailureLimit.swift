/// How many failures end a run (`--max-failures`).
package enum FailureLimit: Sendable, Hashable {
  /// More files than this.
  case count(Int)
  /// More than this share of the files of the run, 0 to 100.
  case percent(Int)

  /// Files that must have ended before a share is judged.
  package static let leastEndedCount = 20

  /// `3` or `10%`; nil for anything else.
  package init?(text: [UInt8]) {
    let isShare = text.last == UInt8(ascii: "%")
    guard let number = Int64(digits: text.dropLast(isShare ? 1 : 0)), !isShare || number <= 100 else { return nil }
    self = isShare ? .percent(Int(number)) : .count(Int(number))
  }

  /// Whether so many failures end the run.
  ///
  /// - Parameters:
  ///   - endedCount: items that have ended, whichever way.
  ///   - itemCount: of the run; nil where it is not known, and the share is one of those that have ended.
  package func isExceeded(failedCount: Int, endedCount: Int, itemCount: Int?) -> Bool {
    switch self {
    case .count(let limit): failedCount > limit
    case .percent(let limit):
      endedCount >= Self.leastEndedCount && Double(failedCount) * 100 > Double(itemCount ?? endedCount) * Double(limit)
    }
  }
}
