/// What a `RateLimit` field says, in the two forms that drafts of the IETF gave it.
///
///     RateLimit: limit=100, remaining=0, reset=50
///     RateLimit: "default";r=0;t=50
enum RateLimitField {
  /// The smallest number of requests that any of its quotas leaves; nil where it tells none.
  static func remaining(of value: [UInt8]) -> Int64? {
    FieldList.elements(of: value).flatMap { $0.split(separator: UInt8(ascii: ";")) }.compactMap { parameter in
      let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard parts.count == 2, parts[0].trimmed.equals(folded: "r") || parts[0].trimmed.equals(folded: "remaining")
      else { return nil }
      return Int64(digits: parts[1].trimmed)
    }.min()
  }
}
