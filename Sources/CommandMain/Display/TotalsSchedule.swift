/// When a run without a live display tells its totals: after 1, 2, 5, 10 and 30 minutes, then every 30.
struct TotalsSchedule {
  static let shortestInterval = Duration.seconds(60)
  private static let first = [1, 2, 5, 10, 30]
  private static let repeated = 30

  /// Minutes since the start of the run.
  private var next = first[0]

  /// Whether the totals are to be told now; once for each time.
  ///
  /// - Parameter elapsed: since the start of the run.
  mutating func isDue(at elapsed: Duration) -> Bool {
    let minutes = Int(elapsed.components.seconds / 60)
    guard minutes >= next else { return false }
    next = Self.first.first { $0 > minutes } ?? (minutes / Self.repeated + 1) * Self.repeated
    return true
  }
}
