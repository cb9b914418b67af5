/// The `Content-Range` of an answer (RFC 9110 section 14.4).
///
///     Content-Range     = range-unit SP ( range-resp / unsatisfied-range )
///     range-resp        = incl-range "/" ( complete-length / "*" )
///     incl-range        = first-pos "-" last-pos
///     unsatisfied-range = "*/" complete-length
package enum ContentRange: Hashable, Sendable {
  /// Of a 206: never empty, end excluded; nil completeLength means `*`.
  case satisfied(Range<Int64>, completeLength: Int64?)
  /// Of a 416.
  case unsatisfied(completeLength: Int64)

  /// Nil for units other than bytes, inverted ranges, ranges beyond the complete length and numbers beyond `Int64`.
  package init?(parsing bytes: some Collection<UInt8>) {
    var cursor = ByteCursor(bytes)
    cursor.skipSpaces()
    guard cursor.skip(folding: "bytes"), cursor.skipSpaces() > 0 else { return nil }
    let slash = UInt8(ascii: "/")
    let star = UInt8(ascii: "*")
    if cursor.skip(star) {
      guard cursor.skip(slash), let length = cursor.number() else { return nil }
      self = .unsatisfied(completeLength: length)
    } else {
      guard let first = cursor.number(), cursor.skip(UInt8(ascii: "-")), let last = cursor.number(),
        first <= last, last < .max, cursor.skip(slash)
      else { return nil }
      if cursor.skip(star) {
        self = .satisfied(first..<last + 1, completeLength: nil)
      } else {
        guard let length = cursor.number(), last < length else { return nil }
        self = .satisfied(first..<last + 1, completeLength: length)
      }
    }
    cursor.skipSpaces()
    guard cursor.isAtEnd else { return nil }
  }
}
