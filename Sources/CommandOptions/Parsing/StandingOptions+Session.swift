extension StandingOptions {
  /// The session on which the command line works, without what the environment says; nil if it works on none.
  package func session(of line: CommandLineScanner) -> SessionOptions? {
    guard Self.choice(line) != .useless, [.queue, .serve].contains(GivenOptions(line.findings).work) else { return nil }
    var session = SessionOptions()
    for case .option(let spec, _, let argument) in ofFile + ofVariable + line.findings {
      switch spec.id {
      case .session: session.name = argument
      case .sessionDir: session.directory = argument
      default: break
      }
    }
    return session
  }
}
