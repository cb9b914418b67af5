internal import DownloadCore

/// An option as the command line, a session, the configuration file or `SWIFTGET_OPTIONS` gives it, or what is wrong there.
enum OptionFinding: Sendable {
  /// `spelling` is `-d` or `--dir` as given, in a configuration behind its place.
  case option(OptionSpec, spelling: String, argument: [UInt8]?)
  /// A flag that is taken back.
  case takenBack(OptionSpec, spelling: String)
  case refused(Failure)
  /// The options that follow are for hosts with such names.
  case hosts([String])

  /// The option that it is about.
  var spec: OptionSpec? {
    switch self {
    case .option(let spec, _, _), .takenBack(let spec, _): spec
    case .refused, .hosts: nil
    }
  }
}
