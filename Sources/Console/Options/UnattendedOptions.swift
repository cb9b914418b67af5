package import DownloadCore

/// Options of runs that scripts and timers start, as far as they do not concern a single download.
package struct UnattendedOptions: Sendable, Equatable {
  /// The status of a successful run in which a file was downloaded or replaced; nil is 0.
  package var changedExit: Int32?

  /// When the run ends, whatever is left; nil is unlimited.
  package var deadline: DeadlineChoice?
  /// The longest random wait before the first request.
  package var splay: Duration = .zero

  package init() {}

  /// The status that the process ends with.
  ///
  /// - Parameters:
  ///   - status: of a run without this option.
  ///   - downloadedCount: files that were downloaded or replaced.
  func status(_ status: ExitStatus, downloadedCount: Int) -> ExitStatus {
    guard let changedExit, status == .success, downloadedCount > 0 else { return status }
    return .changed(changedExit)
  }

  /// What contradicts these options.
  func errors(_ invocation: Invocation) -> [DownloadError] {
    guard invocation.checksOnly else { return [] }
    let given = [
      ("--changed-exit", changedExit != nil), ("--deadline", deadline != nil), ("--splay", splay != .zero),
      ("--lock-wait", invocation.settings.lockWait != nil),
    ]
    return given.filter(\.1).map { option, _ in
      DownloadError(.usage, "\(option) has no meaning with --check", hint: "--check downloads nothing")
    }
  }
}

extension OptionArgument {
  /// A span, or a time of day; nil for 0, which is no limit.
  func deadline() throws(DownloadError) -> DeadlineChoice? {
    guard bytes.contains(UInt8(ascii: ":")) else {
      let span = try runDuration()
      return span == .zero ? nil : .span(span)
    }
    guard let time = TimeOfDay(text: bytes) else {
      throw refused("is not a time of day", hint: "from 00:00 to 23:59; or a span such as 90m or 2h")
    }
    return .timeOfDay(time)
  }

  /// A time that concerns the whole run, up to a year.
  func runDuration() throws(DownloadError) -> Duration { try duration(in: .zero...Self.year) }

  private static let year = Duration.seconds(86_400 * 365)

  /// A status that no failure has.
  func changedExit() throws(DownloadError) -> Int32 {
    let number = Int32(try count(in: 1...255))
    guard !ExitStatus.fixed.contains(where: { $0.rawValue == number }) else {
      throw refused("has another meaning", hint: "choose a status that swiftget does not use, such as 10")
    }
    return number
  }
}
