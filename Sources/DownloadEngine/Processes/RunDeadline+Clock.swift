package import DownloadCore
internal import DownloadTransport

extension RunDeadline {
  /// The deadline of a run that begins now.
  package init(_ choice: DeadlineChoice) {
    self =
      switch choice {
      case .span(let span): .sinceBoot(Clock.sinceBoot() + span)
      case .timeOfDay(let time):
        .wallClock(time.next(after: Clock.unixTime(), secondOfLocalDay: Clock.secondOfLocalDay(at:)))
      }
  }

  package var hasPassed: Bool { hasPassed(sinceBoot: Clock.sinceBoot(), unixTime: Clock.unixTime()) }
}
