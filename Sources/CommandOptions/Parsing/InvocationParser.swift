internal import DownloadCore
internal import DownloadEvents
internal import DownloadListWriting
package import DownloadLists
package import DownloadWords

/// Turns the options of the configuration file, of `SWIFTGET_OPTIONS`, of a session and of the command line into a `Command`.
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
    builder.take(standing.ofFile, of: .file, without: weakest, keepsHosts: ofLine.work == .serve, &errors)
    builder.take(standing.ofVariable, of: .variable, without: weaker, &errors)
    builder.take(standing.ofSession, of: .session, without: scan.optionIDs, &errors)
    builder.begin(.commandLine)
    for finding in scan.findings {
      builder.take(finding, &errors)
      guard let command = builder.command else { continue }
      if let verb = scan.verb, verb.work == nil { errors += Self.excess(of: verb, in: scan) }
      guard errors.isEmpty else { throw UsageErrors(errors) }
      guard command == .showHelp(.options) else { return command }
      if let option = scan.askedOption { return .showOption(option) }
      return .showHelp(scan.asksAboutLists ? .lists : scan.verb.flatMap(\.ofHelp).map(HelpSubject.verb) ?? .options)
    }
    var all = ofFile
    all.add(standing.ofVariable, without: weaker)
    all.add(standing.ofSession, without: scan.optionIDs)
    all.add(scan.findings, without: [])
    var invocation = finished(scan)
    if [.queue, .serve].contains(invocation.work) {
      let worker = WorkerParser(
        environment: builder.environment, standing: standing, line: scan, weaker: weaker, weakest: weakest)
      do throws(Failure) {
        invocation.worker = try worker.options(recording: invocation.settings.target.recordedAlgorithms)
      } catch { errors.append(error) }
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

  /// What is left of a command line with a verb that has no options: words, and for `completions` options.
  private static func excess(of verb: VerbSpec, in scan: CommandLineScanner) -> [Failure] {
    if let word = scan.operands.first {
      let shown = String(decoding: Redaction.argument(word), as: UTF8.self)
      return [Failure(.usage, "\(verb.name): '\(shown)' is one word too many", hint: "swiftget \(verb.usage)")]
    }
    let allowed: Set<OptionID> = [verb.option, .help, .version, .config, .noConfig]
    guard verb.option == .generate, let other = scan.optionIDs.subtracting(allowed).first else { return [] }
    return [Failure(.usage, "--\(OptionTable.spec(other).long) has no meaning with \(verb.name)", hint: "leave it out")]
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
