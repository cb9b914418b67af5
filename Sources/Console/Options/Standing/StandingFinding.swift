import DownloadCore

/// An option that holds for every run, or what is wrong with it.
enum StandingFinding: Sendable {
  case option(OptionSpec, spelling: String, argument: [UInt8]?)
  case refused(DownloadError)
  /// The options that follow are for hosts with such names.
  case hosts([String])

  init(_ finding: CommandLineScanner.Finding) {
    switch finding {
    case .option(let spec, let spelling, let argument): self = .option(spec, spelling: spelling, argument: argument)
    case .refused(let error): self = .refused(error)
    }
  }
}
