internal import DownloadCore
internal import DownloadWords

/// Applies options as they were found.
extension InvocationBuilder {
  /// Applies those of one source.
  ///
  /// - Parameters:
  ///   - dropped: options that do not count.
  ///   - keepsHosts: whether they count where they are for some hosts.
  ///   - errors: get what is wrong with them, up to a number.
  mutating func take(
    _ findings: [OptionFinding], of level: Level, without dropped: Set<OptionID>, keepsHosts: Bool = false,
    _ errors: inout [Failure]
  ) {
    begin(level)
    for finding in findings where errors.count < UsageErrors.mostOfFile {
      if case .option(let spec, _, _) = finding, dropped.contains(spec.id), !(keepsHosts && isOfHost) { continue }
      take(finding, &errors)
    }
  }

  mutating func take(_ finding: OptionFinding, _ errors: inout [Failure]) {
    switch finding {
    case .option(let spec, let spelling, let argument):
      do throws(Failure) { try take(spec, spelling: spelling, argument) } catch { errors.append(error) }
    case .takenBack(let spec, _):
      forget(spec.id.name)
      spec.effect.takeBack?(&self)
    case .refused(let error): errors.append(error)
    case .hosts(let patterns): beginHosts(patterns)
    }
  }

  /// - Parameter argument: nil where none is given. The default takes the option back.
  private mutating func take(_ spec: OptionSpec, spelling: String, _ argument: [UInt8]?) throws(Failure) {
    note(spec.id.name, spelling: spelling)
    if spec.isDefault(argument), let takeBack = spec.effect.takeBack { return takeBack(&self) }
    let given = OptionArgument(
      spelling: spelling, bytes: argument ?? [], isGiven: argument != nil, choices: spec.choices)
    try spec.effect(&self, given)
  }
}
