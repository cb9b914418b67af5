package import DownloadCore
internal import Glibc

/// The time that files and the run still need.
///
/// A shown time counts down with the clock. A new estimate replaces it only where the two differ by more than the
/// noise of a bursty server.
package struct Forecast {
  private var run: Deadline?
  private var files: [TaskID: Deadline] = [:]
  private var elapsed = Duration.zero
  private var fileRate = FileRate()
  /// Whether the run's time counts items that have not started.
  package private(set) var isGuess = false

  package init() {}

  /// The time left of the run; nil while it is unknown.
  package var timeLeft: Duration? { run.map { $0.left(at: elapsed) } }

  package func timeLeft(of task: TaskID) -> Duration? { files[task].map { $0.left(at: elapsed) } }

  package mutating func update(_ progress: RunProgress, itemCount: Int?) {
    elapsed = progress.elapsed
    fileRate.update(progress)
    var files: [TaskID: Deadline] = [:]
    var longest = 0.0
    for file in progress.active where file.phase == .receiving {
      guard let length = file.completeLength else { continue }
      let (missing, _) = length.subtractingReportingOverflow(file.doneByteCount)
      let estimate = Self.seconds(for: Double(max(0, missing)), at: file.steadyRate)
      longest = max(longest, estimate ?? 0)
      files[file.task] = Deadline(estimate, at: elapsed, after: self.files[file.task])
    }
    self.files = files
    // However fast the others are, the run lasts as long as its longest file.
    let estimate = estimate(progress, itemCount: itemCount ?? progress.itemCount).map { max($0, longest) }
    run = Deadline(estimate, at: elapsed, after: run)
  }

  /// Seconds. Assumes that items that have not started have the average length of the others, or, while lengths are
  /// unknown, that as many files end per second as did before.
  private mutating func estimate(_ run: RunProgress, itemCount: Int?) -> Double? {
    let started = run.downloadedCount + run.keptCount + run.failedCount + run.active.count
    guard let itemCount, started > 0 else { return nil }
    let unstarted = itemCount - started
    guard let known = run.knownByteCount else {
      isGuess = true
      return fileRate.seconds(for: unstarted + run.active.count)
    }
    isGuess = unstarted > 0
    let guess = unstarted > 0 ? Double(known) / Double(started) * Double(unstarted) : 0
    return Self.seconds(for: max(0, Double(known) - Double(run.doneByteCount) + guess), at: run.steadyRate)
  }

  private static func seconds(for byteCount: Double, at rate: Double) -> Double? {
    rate >= 1 ? min(byteCount / rate, 1e9) : nil
  }
}

/// Files that end per second, lately.
private struct FileRate {
  private var endedCount = 0
  private var elapsed = Duration.zero
  /// Files, and the seconds that they took, of which older ones count less.
  private var recentCount = 0.0
  private var recentSeconds = 0.0

  /// Seconds after which files count a third.
  private static let memory = 60.0
  /// Fewer tell nothing.
  private static let leastCount = 10.0

  mutating func update(_ run: RunProgress) {
    let ended = run.downloadedCount + run.failedCount
    let span = max(0, (run.elapsed - elapsed).inSeconds)
    let kept = exp(-span / Self.memory)
    recentCount = recentCount * kept + Double(max(0, ended - endedCount))
    recentSeconds = recentSeconds * kept + span
    (endedCount, elapsed) = (ended, run.elapsed)
  }

  func seconds(for count: Int) -> Double? {
    guard Double(endedCount) >= Self.leastCount, recentCount > 0, recentSeconds > 0 else { return nil }
    return min(Double(max(0, count)) * recentSeconds / recentCount, 1e9)
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
