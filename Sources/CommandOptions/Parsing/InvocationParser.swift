internal import DownloadCore
internal import DownloadEvents
internal import DownloadListWriting
package import DownloadLists
package import DownloadWords

/// Turns the options of the configuration file, of `SWIFTGET_OPTIONS` and of the command line into a `Command`.
struct InvocationParser {
  private let standing: StandingOptions
  private var builder: InvocationBuilder
  private var errors: [Failure] = []

  init(_ environment: Environment, _ standing: StandingOptions) {
    builder = InvocationBuilder(environment)
    self.standing = standing
  }

  mutating func parse(_ scan: CommandLineScanner) throws(UsageErrors) -> Command {
    let ofLine = GivenOptions(scan.findings)
    let meaningless = OptionTable.options.filter { !$0.verbs.contains(ofLine.work) }.map(\.id)
    let weaker = ofLine.contradicted.union(meaningless)
    let ofVariable = GivenOptions(standing.ofVariable, without: weaker)
    let weakest = weaker.union(ofVariable.contradicted)
    let ofFile = GivenOptions(standing.ofFile, without: weakest)
    take(standing.ofFile, of: .file, without: weakest, keepsHosts: ofLine.work == .serve)
    take(standing.ofVariable, of: .variable, without: weaker)
    builder.begin(.commandLine)
    for finding in scan.findings {
      apply(finding)
      guard let command = builder.command else { continue }
      guard errors.isEmpty else { throw UsageErrors(errors) }
      guard command == .showHelp(.options) else { return command }
      if let option = scan.askedOption { return .showOption(option) }
      return .showHelp(scan.asksAboutLists ? .lists : scan.verb.flatMap(\.ofHelp).map(HelpSubject.verb) ?? .options)
    }
    var all = ofFile
    all.add(standing.ofVariable, without: weaker)
    all.add(scan.findings, without: [])
    var invocation = finished(scan)
    if [.queue, .serve].contains(invocation.work) {
      invocation.worker = workerOptions(
        scan, ofLine, without: weaker, weakest, invocation.settings.target.recordedAlgorithms)
    }
    // What an option that is not understood takes away or leaves behind says nothing about the whole.
    if errors.isEmpty {
      let file = standing.place.map { NamedFiles.shown($0.path) } ?? "the configuration"
      errors = ofLine.contradictions() + ofVariable.contradictions(in: StandingOptions.variable)
      errors += ofFile.contradictions(in: file) + ofLine.meaningless(for: invocation.work)
      if invocation.work == .writeManifest {
        let order = invocation.manifestOrder(&errors)
        if errors.isEmpty, let order { return .writeManifest(order) }
      } else if invocation.isEmpty, invocation.needsFiles {
        errors.append(invocation.nothingToDo)
      } else {
        errors += ofLine.unmet(by: invocation, all: all)
        errors += invocation.contradictions.map(invocation.standing.located)
      }
    }
    if errors.isEmpty { return .run(invocation) }
    throw UsageErrors(errors)
  }

  /// - Parameters:
  ///   - dropped: options that do not count.
  ///   - keepsHosts: whether they count where they are for some hosts.
  private mutating func take(
    _ findings: [OptionFinding], of level: InvocationBuilder.Level, without dropped: Set<OptionID>,
    keepsHosts: Bool = false
  ) {
    builder.begin(level)
    for finding in findings where errors.count < UsageErrors.mostOfFile {
      if case .option(let spec, _, _) = finding, dropped.contains(spec.id), !(keepsHosts && builder.isOfHost) {
        continue
      }
      apply(finding)
    }
  }

  /// What the options say that concern the process that works on a session, without the others.
  ///
  /// - Parameters:
  ///   - ofLine: those of the command line that say something.
  ///   - weaker: options of the variable that do not count.
  ///   - weakest: the same of the file.
  private func workerOptions(
    _ scan: CommandLineScanner, _ ofLine: GivenOptions, without weaker: Set<OptionID>, _ weakest: Set<OptionID>,
    _ recordedAlgorithms: [DigestAlgorithm]
  ) -> WorkerOptions {
    let others = Set(OptionTable.options.filter { !$0.isOfWorker }.map(\.id))
    var parser = InvocationParser(builder.environment, standing)
    parser.take(standing.ofFile, of: .file, without: weakest.union(others), keepsHosts: true)
    parser.take(standing.ofVariable, of: .variable, without: weaker.union(others))
    parser.take(scan.findings, of: .commandLine, without: others)
    var settings = parser.builder.invocation.settings
    settings.target.recordedAlgorithms = recordedAlgorithms
    let words = scan.findings.compactMap { finding -> [UInt8]? in
      switch finding {
      case .option(let spec, _, let argument) where spec.isOfWorker:
        Array("--\(spec.long)".utf8) + (argument.map { [UInt8(ascii: "=")] + $0 } ?? [])
      case .takenBack(let spec, _) where spec.isOfWorker: Array("--\(spec.negation)".utf8)
      case .option, .takenBack, .refused, .hosts: nil
      }
    }
    let names = OptionTable.options.filter { $0.isOfWorker && ofLine.contains($0.id) }.map(\.id.name)
    return WorkerOptions(settings, names: names, words: words)
  }

  private mutating func apply(_ finding: OptionFinding) {
    switch finding {
    case .option(let spec, let spelling, let argument):
      do throws(Failure) { try apply(spec, spelling: spelling, argument) } catch { errors.append(error) }
    case .takenBack(let spec, _):
      builder.forget(spec.id.name)
      spec.effect.takeBack?(&builder)
    case .refused(let error): errors.append(error)
    case .hosts(let patterns): builder.beginHosts(patterns)
    }
  }

  /// - Parameter argument: nil where none is given. The default takes the option back.
  private mutating func apply(_ spec: OptionSpec, spelling: String, _ argument: [UInt8]?) throws(Failure) {
    builder.note(spec.id.name, spelling: spelling)
    if spec.isDefault(argument), let takeBack = spec.effect.takeBack { return takeBack(&builder) }
    let given = OptionArgument(
      spelling: spelling, bytes: argument ?? [], isGiven: argument != nil, choices: spec.choices)
    try spec.effect(&builder, given)
  }

  private func finished(_ scan: CommandLineScanner) -> Invocation {
    var invocation = builder.invocation
    invocation.lists.urls = scan.operands
    invocation.display.isSilentAsCurl = scan.isSilentAsCurl
    builder.addPassword(to: &invocation)
    invocation.standing.file = standing.place
    if invocation.records.report != nil { invocation.options = scan.findings.compactMap(GivenOption.init) }
    // A hook hears what the command has done to a file, and a lock file has it.
    if invocation.records.lock != nil || invocation.unattended.hooks[.complete] != nil {
      invocation.settings.target.recordedAlgorithms = [LockEntry.algorithm]
    }
    invocation.settings.file.countries = invocation.lists.metalink.locations.map { $0.lowercased() }
    return invocation
  }
}

extension Command {
  /// - Throws: all usage errors, with hints. They never show credentials.
  package init(
    _ line: CommandLineScanner, _ environment: Environment, _ standing: StandingOptions
  ) throws(UsageErrors) {
    var parser = InvocationParser(environment, standing)
    self = try parser.parse(line)
  }
}
