/// Failed verifications of the whole content, each of a new fetch.
struct IntegrityFailures: Hashable, Sendable {
  /// All of them.
  private(set) var count = 0
  /// Those that were not blamed on a single mirror.
  private var unexplainedCount = 0
  /// The digest of the last content.
  private(set) var last: ContentDigest?

  static let limit = 3

  /// - Parameters:
  ///   - actual: the digest of the content.
  ///   - isExplained: whether a single mirror supplied the content and is not asked again.
  /// - Returns: whether a new fetch may help. The same content a second time is what the server has.
  mutating func add(_ actual: ContentDigest, isExplained: Bool) -> Bool {
    defer { last = actual }
    count += 1
    if isExplained { return true }
    unexplainedCount += 1
    return unexplainedCount < Self.limit && actual != last
  }
}
