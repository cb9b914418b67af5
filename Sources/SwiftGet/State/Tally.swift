/// The sums over tasks, which change with each of them.
struct Tally: Sendable {
  /// What one task adds.
  struct Share: Equatable, Sendable {
    var kind: DownloadTaskState.Kind
    var bytes: Int64
    /// Nil for an unknown size.
    var total: Int64?
    var rate: Int64
    /// Whether nothing but other tasks keeps it from going on.
    var mayGoOn: Bool
    /// What it waits for; nil for something else, or nothing.
    var condition: DownloadCondition?
  }

  /// In the order of `Kind.allCases`.
  private var counts = [Int](repeating: 0, count: DownloadTaskState.Kind.allCases.count)
  private var bytes: Int64 = 0
  private var total: Int64 = 0
  private var rate: Int64 = 0
  private var unknownCount = 0
  /// Tasks that go on, or would in a free place.
  private var activeCount = 0
  private var diskFullCount = 0
  private var noNetworkCount = 0
  private(set) var unsettledCount = 0
  private(set) var count = 0

  /// Adds what a task comes to, or takes it away with -1.
  mutating func count(_ share: Share, by sign: Int) {
    counts[share.kind.place] += sign
    count += sign
    if !share.kind.isSettled { unsettledCount += sign }
    if share.mayGoOn { activeCount += sign }
    switch share.condition {
    case .diskFull?: diskFullCount += sign
    case .noNetwork?: noNetworkCount += sign
    case nil: break
    }
    guard share.kind != .cancelled, share.kind != .removed else { return }
    bytes &+= share.bytes * Int64(sign)
    rate &+= share.rate * Int64(sign)
    // Nothing is expected of what has failed, so that a failure never makes the fraction fall.
    if let size = share.kind == .failed ? share.bytes : share.total {
      total &+= size * Int64(sign)
    } else {
      unknownCount += sign
    }
  }

  func count(waitingFor condition: DownloadCondition) -> Int {
    switch condition {
    case .diskFull: diskFullCount
    case .noNetwork: noNetworkCount
    }
  }

  /// The totals of these tasks.
  ///
  /// - Parameter isPaused: whether all that is unsettled is paused, whatever its own state is.
  func totals(isPaused: Bool) -> DownloadTotals {
    var totals = DownloadTotals()
    for kind in DownloadTaskState.Kind.allCases where counts[kind.place] > 0 {
      totals.counts[kind] = counts[kind.place]
    }
    totals.activeCount = isPaused ? totals.counts[.verifying] ?? 0 : activeCount
    if isPaused { totals.pauseAll() }
    totals.progress.bytes = bytes
    totals.progress.totalBytes = unknownCount == 0 ? total : nil
    totals.progress.bytesPerSecond = rate > 0 ? rate : nil
    totals.updateActivity()
    return totals
  }
}

extension DownloadTaskState.Kind {
  fileprivate var place: Int {
    switch self {
    case .waiting: 0
    case .running: 1
    case .verifying: 2
    case .paused: 3
    case .succeeded: 4
    case .failed: 5
    case .cancelled: 6
    case .removed: 7
    }
  }
}

extension DownloadTotals {
  fileprivate mutating func pauseAll() {
    for kind in [DownloadTaskState.Kind.waiting, .running] {
      if let count = counts.removeValue(forKey: kind) { counts[.paused, default: 0] += count }
    }
  }

  mutating func updateActivity() {
    if unsettled == 0 {
      activity = .settled
    } else if activeCount > 0 {
      activity = .active
    } else {
      activity = counts[.waiting] != nil ? .waiting : .paused
    }
  }

  /// The totals of tasks with those of others.
  mutating func add(_ other: DownloadTotals) {
    counts.merge(other.counts) { $0 + $1 }
    progress.bytes &+= other.progress.bytes
    if let one = progress.totalBytes, let two = other.progress.totalBytes {
      progress.totalBytes = one &+ two
    } else {
      progress.totalBytes = nil
    }
    let rate = (progress.bytesPerSecond ?? 0) &+ (other.progress.bytesPerSecond ?? 0)
    progress.bytesPerSecond = rate > 0 ? rate : nil
    activeCount += other.activeCount
    updateActivity()
  }
}
