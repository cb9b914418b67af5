/// Whether ranges are requested from one mirror, and the evidence of its answers.
///
/// asked ──a doubt, a refusal, or a few fruitless ranges──► avoided ──a plain GET determines the version──► asked
///   └──a refusal beside another transfer──► asked one at a time
///
/// A refusal may have been that of one server of many, so it counts for a while only: `MirrorSet` decides when ranges are
/// asked for again.
enum RangeBehaviour: Hashable, Sendable {
  case asked(Evidence)
  /// Only the whole content is requested.
  case avoided(Evidence)

  struct Evidence: Hashable, Sendable {
    /// The number of doubts about the version that needed a plain GET.
    fileprivate var doubtCount = 0
    /// How often the version changed by its entity tag alone.
    fileprivate var tagChangeCount = 0
    /// An answer to a range contradicted the request or itself.
    fileprivate var isBroken = false
    /// Whether a range has brought progress.
    fileprivate var hasServed = false
    /// Ranges are requested one at a time, because further ones were refused or failed while another was served.
    fileprivate var isLimited = false
    /// The last refusal counts.
    fileprivate var isRefused = false
    /// Bytes that the file has gained since then.
    fileprivate var gainedByteCount: Int64 = 0
    /// After a refusal no longer counts: when the mirror's last transfer had started. A range that starts later is a trial,
    /// beside which no other is requested. Nil as soon as one has served.
    fileprivate var trialAfter: Instant?
    /// Consecutive ranges without progress. Ranges that were active together count once.
    fileprivate var fruitlessCount = 0
    /// When the last of them was counted.
    fileprivate var fruitlessAt = Instant(nanoseconds: .min)
  }

  /// The number of doubts after which only the whole content is requested.
  private static let doubtLimit = 3
  /// Changes of the entity tag after which ranges are requested still.
  private static let mostTagChanges = 3

  /// The state of a mirror before the first request.
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

  /// Whether only ranges may fail at this mirror.
  var areSuspect: Bool { evidence.isBroken || isAvoided }

  /// Whether a range has brought progress.
  var haveServed: Bool { evidence.hasServed }

  // MARK: Answers

  /// The mirror refuses ranges, or answers them with the whole.
  mutating func refused() {
    noteRefusal()
    self = .avoided(evidence)
  }

  /// As `refused`, but the mirror serves another transfer, which counts more than the refusal.
  mutating func refusedFurther() {
    noteRefusal()
    evidence.isLimited = true
  }

  private mutating func noteRefusal() {
    evidence.isRefused = true
    evidence.gainedByteCount = 0
  }

  /// Further ranges failed too often beside one that is served.
  mutating func failedFurther() { evidence.isLimited = true }

  /// Whether ranges, or further ones, are not requested because of a refusal.
  var areRefused: Bool { evidence.isRefused && evidence.doubtCount < Self.doubtLimit }

  /// The file has gained these bytes.
  ///
  /// - Returns: the bytes since the refusal.
  mutating func gained(_ byteCount: Int64) -> Int64 {
    evidence.gainedByteCount += byteCount
    return evidence.gainedByteCount
  }

  /// The refusal no longer counts. One range is tried.
  ///
  /// - Parameter lastStart: the latest start of the mirror's active transfers; nil if there are none.
  mutating func refusalExpired(lastStart: Instant?) {
    evidence.isRefused = false
    evidence.isLimited = false
    evidence.trialAfter = lastStart ?? .zero
    self = .asked(evidence)
  }

  /// The version of an answer to a range is in doubt. A plain GET decides.
  mutating func cameInDoubt() {
    evidence.doubtCount += 1
    self = .avoided(evidence)
  }

  /// A plain GET has determined the version, so answers to ranges can be compared again.
  mutating func wholeCame() {
    if 1..<Self.doubtLimit ~= evidence.doubtCount { self = .asked(evidence) }
  }

  /// The doubt was justified and is settled. Ranges of the new version are allowed, unless it is the entity tag that keeps
  /// changing: some servers send a new one with each answer.
  mutating func versionChanged(_ change: VersionChange) {
    evidence.doubtCount = 0
    if change == .entityTag { evidence.tagChangeCount += 1 }
    self = evidence.tagChangeCount > Self.mostTagChanges ? .avoided(evidence) : .asked(evidence)
  }

  /// The file starts over with this mirror's version.
  mutating func versionWasChosen() { self = .asked(evidence) }

  mutating func contradicted() { evidence.isBroken = true }

  /// The mirror failed too often. Only the whole content is requested before the mirror is given up.
  mutating func exhausted() {
    evidence.doubtCount = Self.doubtLimit
    self = .avoided(evidence)
  }

  // MARK: Progress

  /// A range has brought progress.
  mutating func served(startedAt: Instant) {
    evidence.hasServed = true
    if let trialAfter = evidence.trialAfter, startedAt > trialAfter { evidence.trialAfter = nil }
    if startedAt >= evidence.fruitlessAt { evidence.fruitlessCount = 0 }
  }

  /// A range ended without progress.
  mutating func wasFruitless(startedAt: Instant, tries: Int, now: Instant) {
    guard startedAt >= evidence.fruitlessAt else { return }
    evidence.fruitlessCount += 1
    evidence.fruitlessAt = now
    // A mirror that has never served a range may still serve the whole.
    if evidence.fruitlessCount >= tries, !evidence.hasServed { self = .avoided(evidence) }
  }

  /// Whether one more range may be requested beside the active ones.
  ///
  /// After a refusal, and after a range without progress, only one at a time is tried, and after a few in a row none. Progress
  /// of other transfers does not count.
  ///
  /// - Parameter lastStart: the latest start of the mirror's active transfers; nil if there are none.
  func bearsAnother(tries: Int, lastStart: @autoclosure () -> Instant?) -> Bool {
    if evidence.isLimited || evidence.trialAfter != nil, let lastStart = lastStart(),
      evidence.isLimited || lastStart > evidence.trialAfter ?? lastStart
    {
      return false
    }
    guard evidence.fruitlessCount > 0 else { return true }
    return evidence.fruitlessCount < tries && lastStart().map { $0 < evidence.fruitlessAt } ?? true
  }
}
