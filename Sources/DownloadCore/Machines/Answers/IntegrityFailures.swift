/// Failed verifications of the whole content, each of a new fetch.
struct IntegrityFailures: Hashable, Sendable {
  /// What failed the verification.
  struct Content: Hashable, Sendable {
    let digest: ContentDigest
    /// The mirror that alone supplied it, if there is another one; else nil.
    let source: Int?
  }

  /// All of them.
  private(set) var count = 0
  /// Those that were not blamed on a single mirror.
  private var unexplainedCount = 0
  private var last: Content?

  static let limit = 3

  /// Whether one mirror has supplied the same content twice in a row.
  func isRepeated(_ content: Content) -> Bool { content.source != nil && content == last }

  /// - Parameters:
  ///   - isExplained: whether a single mirror supplied the content and is not asked again.
  ///   - isConclusive: whether the same content a second time is what the server has. It may also be a body that was cut
  ///     at the same place, where only another fetch tells.
  /// - Returns: whether a new fetch may help.
  mutating func add(_ content: Content, isExplained: Bool, isConclusive: Bool = true) -> Bool {
    defer { last = content }
    count += 1
    if isExplained { return true }
    unexplainedCount += 1
    return unexplainedCount < Self.limit && (content.digest != last?.digest || !isConclusive)
  }
}
