/// Whether ranges are requested from one mirror, and the evidence of its answers.
///
/// asked ──a doubt, a refusal, or a few fruitless ranges──► avoided ──a plain GET determines the version──► asked
///   └──a refusal beside another transfer──► asked one at a time
///
/// A refusal may have been that of one server of many, so it counts for a while only: `MirrorSet` decides when ranges are
/// asked for again.
struct RangeBehaviour: Hashable, Sendable {
  /// Only the whole content is requested.
  private(set) var isAvoided = false
  /// The number of doubts about the version that needed a plain GET.
  private var doubtCount = 0
  /// How often the version changed by its entity tag alone.
  private var tagChangeCount = 0
  /// An answer to a range contradicted the request or itself.
  private var isBroken = false
  /// Whether a range has brought progress.
  private(set) var haveServed = false
  /// Ranges are requested one at a time, because further ones were refused or failed while another was served.
  private var isLimited = false
  /// The last refusal counts.
  private var isRefused = false
  /// Bytes that the file has gained since then.
  private var gainedByteCount: Int64 = 0
  /// After a refusal no longer counts: when the mirror's last transfer had started. A range that starts later is a trial,
  /// beside which no other is requested. Nil as soon as one has served.
  private var trialAfter: Instant?
  /// Consecutive ranges without progress. Ranges that were active together count once.
  private var fruitlessCount = 0
  /// When the last of them was counted.
  private var fruitlessAt = Instant(nanoseconds: .min)

  /// The number of doubts after which only the whole content is requested.
  private static let doubtLimit = 3
  /// Changes of the entity tag after which ranges are requested still.
  private static let mostTagChanges = 3

  /// Whether only ranges may fail at this mirror.
  var areSuspect: Bool { isBroken || isAvoided }

  // MARK: Answers

  /// The mirror refuses ranges, or answers them with the whole.
  mutating func refused() {
    noteRefusal()
    isAvoided = true
  }

  /// As `refused`, but the mirror serves another transfer, which counts more than the refusal.
  mutating func refusedFurther() {
    noteRefusal()
    isLimited = true
  }

  private mutating func noteRefusal() {
    isRefused = true
    gainedByteCount = 0
  }

  /// Further ranges failed too often beside one that is served.
  mutating func failedFurther() { isLimited = true }

  /// Whether ranges, or further ones, are not requested because of a refusal.
  var areRefused: Bool { isRefused && doubtCount < Self.doubtLimit }

  /// The file has gained these bytes.
  ///
  /// - Returns: the bytes since the refusal.
  mutating func gained(_ byteCount: Int64) -> Int64 {
    gainedByteCount += byteCount
    return gainedByteCount
  }

  /// The refusal no longer counts. One range is tried.
  ///
  /// - Parameter lastStart: the latest start of the mirror's active transfers; nil if there are none.
  mutating func refusalExpired(lastStart: Instant?) {
    isRefused = false
    isLimited = false
    trialAfter = lastStart ?? .zero
    isAvoided = false
  }

  /// The version of an answer to a range is in doubt. A plain GET decides.
  mutating func cameInDoubt() {
    doubtCount += 1
    isAvoided = true
  }

  /// A plain GET has determined the version, so answers to ranges can be compared again.
  mutating func wholeCame() {
    if 1..<Self.doubtLimit ~= doubtCount { isAvoided = false }
  }

  /// The doubt was justified and is settled. Ranges of the new version are allowed, unless it is the entity tag that keeps
  /// changing: some servers send a new one with each answer.
  mutating func versionChanged(_ change: VersionChange) {
    doubtCount = 0
    if change == .entityTag { tagChangeCount += 1 }
    isAvoided = tagChangeCount > Self.mostTagChanges
  }

  /// The file starts over with this mirror's version.
  mutating func versionWasChosen() { isAvoided = false }

  mutating func contradicted() { isBroken = true }

  /// The mirror failed too often. Only the whole content is requested before the mirror is given up.
  mutating func exhausted() {
    doubtCount = Self.doubtLimit
    isAvoided = true
  }

  // MARK: Progress

  /// A range has brought progress.
  mutating func served(startedAt: Instant) {
    haveServed = true
    if let trialAfter, startedAt > trialAfter { self.trialAfter = nil }
    if startedAt >= fruitlessAt { fruitlessCount = 0 }
  }

  /// A range ended without progress.
  mutating func wasFruitless(startedAt: Instant, tries: Int, now: Instant) {
    guard startedAt >= fruitlessAt else { return }
    fruitlessCount += 1
    fruitlessAt = now
    // A mirror that has never served a range may still serve the whole.
    if fruitlessCount >= tries, !haveServed { isAvoided = true }
  }

  /// Whether one more range may be requested beside the active ones.
  ///
  /// After a refusal, and after a range without progress, only one at a time is tried, and after a few in a row none. Progress
  /// of other transfers does not count.
  ///
  /// - Parameter lastStart: the latest start of the mirror's active transfers; nil if there are none.
  func bearsAnother(tries: Int, lastStart: @autoclosure () -> Instant?) -> Bool {
    if isLimited || trialAfter != nil, let lastStart = lastStart(),
      isLimited || lastStart > trialAfter ?? lastStart
    {
      return false
    }
    guard fruitlessCount > 0 else { return true }
    return fruitlessCount < tries && lastStart().map { $0 < fruitlessAt } ?? true
  }
}
