internal import DownloadCore

/// The time that files and the run still need.
///
/// A shown time counts down with the clock. A new estimate replaces it only where the two differ by more than the
/// noise of a bursty server.
struct Forecast {
  private var run: Deadline?
  private var files: [TaskID: Deadline] = [:]
  private var elapsed = Duration.zero
  /// Whether the run's time counts items that have not started.
  private(set) var isGuess = false

  /// The time left of the run; nil while it is unknown.
  var timeLeft: Duration? { run.map { $0.left(at: elapsed) } }

  func timeLeft(of task: TaskID) -> Duration? { files[task].map { $0.left(at: elapsed) } }

  mutating func update(_ progress: RunProgress, itemCount: Int?) {
    elapsed = progress.elapsed
    var files: [TaskID: Deadline] = [:]
    for file in progress.active where file.phase == .receiving {
      guard let length = file.completeLength else { continue }
      let (missing, _) = length.subtractingReportingOverflow(file.doneByteCount)
      let estimate = Self.seconds(for: Double(max(0, missing)), at: file.steadyRate)
      files[file.task] = Deadline(estimate, at: elapsed, after: self.files[file.task])
    }
    self.files = files
    run = Deadline(estimate(progress, itemCount: itemCount ?? progress.itemCount), at: elapsed, after: run)
  }

  /// Seconds. Assumes that items that have not started have the average length of the others.
  private mutating func estimate(_ run: RunProgress, itemCount: Int?) -> Double? {
    let started = run.downloadedCount + run.keptCount + run.failedCount + run.active.count
    guard let known = run.knownByteCount, let itemCount, started > 0 else { return nil }
    let unstarted = itemCount - started
    isGuess = unstarted > 0
    let guess = unstarted > 0 ? Double(known) / Double(started) * Double(unstarted) : 0
    return Self.seconds(for: max(0, Double(known) - Double(run.doneByteCount) + guess), at: run.steadyRate)
  }

  private static func seconds(for byteCount: Double, at rate: Double) -> Double? {
    rate >= 1 ? min(byteCount / rate, 1e9) : nil
  }
}

/// When something is to end, in seconds since the start of the run.
private struct Deadline {
  private var seconds: Double

  /// - Parameters:
  ///   - estimate: seconds that are left.
  ///   - earlier: what is shown now.
  init?(_ estimate: Double?, at elapsed: Duration, after earlier: Deadline?) {
    guard let estimate else { return nil }
    let new = elapsed.inSeconds + estimate
    // Within an eighth of the time that is left, or a second and a half, the shown time goes on.
    if let earlier, abs(earlier.seconds - new) <= max(1.5, estimate / 8) {
      self = earlier
    } else {
      seconds = new
    }
  }

  func left(at elapsed: Duration) -> Duration { .seconds(max(0, seconds - elapsed.inSeconds)) }
}
