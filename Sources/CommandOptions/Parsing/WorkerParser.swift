internal import DownloadCore
internal import DownloadLists

/// Makes what the options say that concern the process that works on a session, without the others.
struct WorkerParser {
  let environment: Environment
  let standing: StandingOptions
  let line: CommandLineScanner
  /// Options of the variable that do not count.
  let weaker: Set<OptionID>
  /// The same of the configuration file.
  let weakest: Set<OptionID>

  /// - Parameter algorithms: of the digests that are recorded.
  /// - Throws: a usage error for an argument that no session can keep.
  func options(recording algorithms: [DigestAlgorithm]) throws(Failure) -> WorkerOptions {
    let given = line.optionIDs
    func isGivenAgain(_ finding: OptionFinding) -> Bool {
      guard let id = finding.spec?.id else { return false }
      // Given later, --netrc means the usual file again.
      return given.contains(id) || id == .netrcFile && given.contains(.netrc)
    }
    var settings = settings(standing.ofSession.filter { !isGivenAgain($0) }, line.findings)
    settings.target.recordedAlgorithms = algorithms
    let kept = try ofSession(standing.ofSession)
    let changed = try kept.filter { !isGivenAgain($0) } + ofSession(line.findings)
    let (lines, newLines) = (kept.compactMap(\.line), changed.compactMap(\.line))
    let isSame = lines == newLines || self.settings(kept, []) == self.settings(changed, [])
    return WorkerOptions(
      settings, try self.given(except: isSame ? lines : []),
      kept: lines == newLines ? nil : KeptOptions.text(of: newLines))
  }

  private func settings(_ ofSession: [OptionFinding], _ ofLine: [OptionFinding]) -> RunSettings {
    let others = Set(OptionTable.options.filter { !$0.isOfWorker }.map(\.id))
    var builder = InvocationBuilder(environment)
    // Those of the whole command line are told.
    var errors: [Failure] = []
    builder.take(standing.ofFile, of: .file, without: weakest.union(others), keepsHosts: true, &errors)
    builder.take(standing.ofVariable, of: .variable, without: weaker.union(others), &errors)
    builder.take(ofSession, of: .session, without: [], &errors)
    builder.take(ofLine, of: .commandLine, without: others, &errors)
    return builder.invocation.settings
  }

  private func ofSession(_ findings: [OptionFinding]) throws(Failure) -> [OptionFinding] {
    var kept: [OptionFinding] = []
    for finding in findings { if let finding = try finding.ofSession() { kept.append(finding) } }
    return kept
  }

  /// - Parameter lines: of the session, which say the same as options that have no name then.
  private func given(except lines: [[UInt8]]) throws(Failure) -> [WorkerOptions.Given] {
    let keptIDs = Set(standing.ofSession.compactMap(\.spec?.id))
    var given: [WorkerOptions.Given] = []
    for finding in line.findings {
      guard let spec = finding.spec, spec.isOfWorker else { continue }
      let (name, word, changesNothing): (String, [UInt8], Bool)
      switch finding {
      case .option(_, _, let argument):
        (name, changesNothing) = (spec.id.name, spec.isDefault(argument) && !keptIDs.contains(spec.id))
        word = Array("--\(spec.long)".utf8) + (argument.map { [UInt8(ascii: "=")] + $0 } ?? [])
      case .takenBack:
        (name, changesNothing) = ("--\(spec.negation)", !keptIDs.contains(spec.id))
        word = Array(name.utf8)
      case .refused, .hosts: continue
      }
      let isKept = try finding.ofSession()?.line.map { lines.contains($0) } ?? false
      given.append(WorkerOptions.Given(id: spec.id, name: changesNothing || isKept ? nil : name, word: word))
    }
    return given
  }
}
