/// Rates by time of day: `2M`, or `08:00,2M 19:00,off`.
///
/// An entry applies from its time until that of the next one. Before the first entry of a day, the last one applies.
package struct RateTimetable: Sendable, Hashable {
  package struct Entry: Sendable, Hashable {
    /// Second of the local day, 0 to 86,399.
    package var start: Int
    /// Bytes per second, above 0; nil is unlimited.
    package var rate: Int64?
  }

  /// In order of their times, which are all different. At least one.
  package let entries: [Entry]

  private static let secondsOfDay = 86_400

  /// The same rate at all times.
  package init(rate: Int64?) { self.init(entries: [Entry(start: 0, rate: rate)]) }

  private init(entries: [Entry]) { self.entries = entries }

  package var isEverLimited: Bool { entries.contains { $0.rate != nil } }

  /// - Parameter second: of the local day.
  package func rate(at second: Int) -> Int64? {
    (entries.last { $0.start <= second } ?? entries[entries.count - 1]).rate
  }

  /// Seconds until the next entry applies, 1 to 86,400; nil where there is only one entry.
  package func secondsToChange(from second: Int) -> Int? {
    guard entries.count > 1 else { return nil }
    let next = entries.first { $0.start > second }?.start ?? entries[0].start + Self.secondsOfDay
    return next - second
  }
}

extension RateTimetable {
  /// Why a text is invalid, with the invalid part.
  package enum Fault: Error, Hashable, Sendable {
    case notARate([UInt8])
    case notATimeOfDay([UInt8])
    /// One of several entries that is not a time and a rate.
    case notAnEntry([UInt8])
    case sameTime([UInt8])
  }

  /// A rate, or entries `HH:MM,RATE` in any order, separated by spaces. `off` and 0 mean unlimited.
  ///
  /// - Parameter readRate: parses a rate in bytes per second.
  package init(text: [UInt8], readRate: ([UInt8]) -> Int64?) throws(Fault) {
    func rate(_ text: [UInt8]) throws(Fault) -> Int64? {
      if text == Array("off".utf8) { return nil }
      guard let rate = readRate(text) else { throw .notARate(text) }
      return rate == 0 ? nil : rate
    }
    let comma = UInt8(ascii: ",")
    let words = text.split(separator: UInt8(ascii: " ")).map { Array($0) }
    if words.count <= 1, !text.contains(comma) {
      self.init(rate: try rate(words.first ?? []))
      return
    }
    var entries: [Entry] = []
    for word in words {
      let parts = word.split(separator: comma, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
      guard parts.count == 2 else { throw .notAnEntry(word) }
      guard let start = TimeOfDay(text: parts[0])?.second else { throw .notATimeOfDay(parts[0]) }
      if entries.contains(where: { $0.start == start }) { throw .sameTime(parts[0]) }
      entries.append(Entry(start: start, rate: try rate(parts[1])))
    }
    self.init(entries: entries.sorted { $0.start < $1.start })
  }
}
