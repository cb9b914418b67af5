/// Whether one mirror is asked for ranges, and what its answers to them have shown.
///
/// asked ──a doubt, a refusal, or a few fruitless ranges──► avoided ──a plain GET tells the version──► asked
enum RangeBehaviour: Hashable, Sendable {
  case asked(Evidence)
  /// The mirror is asked for the whole.
  case avoided(Evidence)

  struct Evidence: Hashable, Sendable {
    /// How often a plain GET had to tell the version because an answer to a range did not.
    fileprivate var doubtCount = 0
    /// An answer to a range contradicted the request or itself.
    fileprivate var isBroken = false
    /// Some range has brought what counts as progress.
    fileprivate var hasServed = false
    /// Ranges in a row that brought next to nothing; those that were at work together count once.
    fileprivate var fruitlessCount = 0
    /// When the last of them was counted.
    fileprivate var fruitlessAt = Instant(nanoseconds: .min)
  }

  /// After so many doubts about its version a mirror is asked for the whole only.
  private static let doubtLimit = 3

  /// Of a mirror that was never asked.
  static let untried = RangeBehaviour.asked(Evidence())

  private var evidence: Evidence {
    get {
      switch self {
      case .asked(let evidence), .avoided(let evidence): evidence
      }
    }
    set {
      switch self {
      case .asked: self = .asked(newValue)
      case .avoided: self = .avoided(newValue)
      }
    }
  }

  var isAvoided: Bool { if case .avoided = self { true } else { false } }

  /// Whether its faults may be due to ranges alone.
  var areSuspect: Bool { evidence.isBroken || isAvoided }

  // MARK: What answers show

  /// The mirror refuses ranges, or answers them with the whole.
  mutating func refused() { self = .avoided(evidence) }

  /// An answer to a range did not tell which version it is of; a plain GET decides.
  mutating func cameInDoubt() {
    evidence.doubtCount += 1
    self = .avoided(evidence)
  }

  /// A plain GET has told the version, with which answers to ranges can be compared again.
  mutating func wholeCame() {
    if 1..<Self.doubtLimit ~= evidence.doubtCount { self = .asked(evidence) }
  }

  /// The doubt was right and is settled: ranges of the new version are as good as any.
  mutating func versionChanged() {
    evidence.doubtCount = 0
    self = .asked(evidence)
  }

  /// Everything starts over with this mirror's version.
  mutating func versionWasChosen() { self = .asked(evidence) }

  mutating func contradicted() { evidence.isBroken = true }

  /// The mirror has failed too often; it is asked for the whole from now on before it is given up.
  mutating func exhausted() {
    evidence.doubtCount = Self.doubtLimit
    self = .avoided(evidence)
  }

  // MARK: What ranges bring

  /// A range has brought what counts as progress.
  mutating func served(startedAt: Instant) {
    evidence.hasServed = true
    if startedAt >= evidence.fruitlessAt { evidence.fruitlessCount = 0 }
  }

  /// A range brought next to nothing.
  mutating func wasFruitless(startedAt: Instant, tries: Int, now: Instant) {
    guard startedAt >= evidence.fruitlessAt else { return }
    evidence.fruitlessCount += 1
    evidence.fruitlessAt = now
    // A mirror that has never served a range may yet serve the whole.
    if evidence.fruitlessCount >= tries, !evidence.hasServed { self = .avoided(evidence) }
  }

  /// Whether one more range may be asked for beside those at work.
  ///
  /// After one that brought next to nothing one at a time tries, and after a few in a row none: what other connections
  /// bring meanwhile is no progress of ranges.
  ///
  /// - Parameter lastStart: of the mirror's transfers at work; nil where there are none.
  func bearsAnother(tries: Int, lastStart: @autoclosure () -> Instant?) -> Bool {
    guard evidence.fruitlessCount > 0 else { return true }
    return evidence.fruitlessCount < tries && lastStart().map { $0 < evidence.fruitlessAt } ?? true
  }
}
