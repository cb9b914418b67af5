internal import CommandControl
internal import CommandOptions
internal import DownloadEvents
internal import DownloadWords

extension Invocation {
  /// Options of the command line that concern the process that works on a session.
  var workerOptions: [String] { runOptions + (worker?.names ?? []) }

  /// Options that concern this run, too, and mean nothing to a process in the background.
  var runOptions: [String] {
    names([
      (.report, records.report != nil), (.failed, records.failed != nil), (.deadline, unattended.deadline != nil),
      (.maxFailures, settings.limits.maxFailures != nil),
    ])
  }

  /// An option that lists the files of the command line.
  var listingOption: String? { names([(.report, records.report != nil), (.failed, records.failed != nil)]).first }

  /// What the configuration says holds only if it means something.
  private func names(_ options: [(id: OptionID, isGiven: Bool)]) -> [String] {
    options.filter { $0.isGiven && !standing.have($0.id) }.map(\.id.name)
  }
}

extension ExitStatus {
  /// - Parameter code: what a process of this program has ended with.
  init(code: Int32) { self = Self.fixed.first { $0.rawValue == code } ?? .other }

  /// That of a command which uses a session.
  init(control status: ControlStatus) { self.init(code: status.rawValue) }
}
