/// Finds the lines of a stream. It has no more of them in memory than the one that is not complete.
struct LineReader {
  enum Line: Hashable, Sendable {
    /// Without its end.
    case whole([UInt8])
    /// It has more bytes than the limit. What follows is not read.
    case tooLong
  }

  private let limit: Int
  private var begun: [UInt8] = []
  private(set) var hasEnded = false

  /// - Parameter limit: bytes of a line at most, without its end.
  init(limit: Int) { self.limit = limit }

  mutating func take(_ bytes: some Collection<UInt8>) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while !hasEnded, !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      begun += rest[..<(end ?? rest.endIndex)]
      if begun.count > limit {
        begun = []
        hasEnded = true
        lines.append(.tooLong)
      } else if let end {
        if begun.last == UInt8(ascii: "\r") { begun.removeLast() }
        lines.append(.whole(begun))
        begun = []
        rest = rest[rest.index(after: end)...]
        continue
      }
      break
    }
    return lines
  }
}
