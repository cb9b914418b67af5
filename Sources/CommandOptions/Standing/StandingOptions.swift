package import DownloadCore
package import DownloadLists
package import DownloadWords

/// Options that hold for every run: those of the configuration file, those of `SWIFTGET_OPTIONS`, and those that a session
/// keeps.
///
/// The file counts least, then the variable, then the session, and the command line most. They are read before the command
/// line is understood, whose `--config` and `--no-config` choose the file.
package struct StandingOptions: Sendable {
  /// The variable of further options.
  static let variable = "SWIFTGET_OPTIONS"

  let ofFile: [OptionFinding]
  let ofVariable: [OptionFinding]
  private(set) var ofSession: [OptionFinding] = []
  /// The file; nil where none was read.
  let place: ConfigurationPlace?
  /// That others may read the secrets of the file, or that it cannot be read.
  package let warning: Diagnostic?

  /// None.
  package init() { self.init(ofFile: [], ofVariable: [], warning: nil) }

  init(
    ofFile: [OptionFinding], ofVariable: [OptionFinding], ofSession: [OptionFinding] = [],
    place: ConfigurationPlace? = nil, warning: Diagnostic?
  ) {
    (self.ofFile, self.ofVariable, self.ofSession) = (ofFile, ofVariable, ofSession)
    (self.place, self.warning) = (place, warning)
  }

  /// Reads what the command line and the environment name.
  ///
  /// - Parameter inputs: note the file and the variables.
  /// - Throws: why the file cannot be read. What is wrong in it is told when the command line is parsed.
  package static func read(
    _ line: CommandLineScanner, _ environment: Environment, notedIn inputs: DecidingInputs
  ) throws(Failure) -> StandingOptions {
    inputs.note(variable: CommandLineScanner.strictVariable)
    let choice = choice(line)
    if case .useless = choice { return StandingOptions() }
    var file: ConfigurationFile?
    var warning: Diagnostic?
    switch try ConfigurationFile.read(choice, environment, notedIn: inputs) {
    case .none: break
    case .file(let found): file = found
    case .unreadable(let told): warning = told
    }
    let ofFile = file.map { ConfigurationParser.findings($0) } ?? []
    if let file, file.isExposed, hasSecret(ofFile) { warning = exposed(NamedFiles.shown(file.place.path)) }
    return StandingOptions(
      ofFile: ofFile, ofVariable: environment[variable].map { findings(inVariable: $0) } ?? [],
      place: file?.place,
      warning: warning)
  }

  static func choice(_ line: CommandLineScanner) -> ConfigurationChoice {
    var choice = ConfigurationChoice.usual
    for case .option(let spec, _, let argument) in line.findings {
      switch spec.id {
      case .config: choice = .named(argument ?? [])
      case .noConfig: choice = .none
      case .help, .version, .generate: return .useless
      default: break
      }
    }
    return choice
  }

  private static func findings(inVariable text: [UInt8]) -> [OptionFinding] {
    func refused(_ message: String, hint: String? = nil) -> OptionFinding {
      .refused(Failure(.usage, "\(variable): \(message)", hint: hint))
    }
    let words: [[UInt8]]
    do { words = try CommandWords(text: text).words } catch {
      switch error {
      case .empty: return text.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? [] : [refused("its first word is empty")]
      case .unclosed(let mark): return [refused("a \(Character(Unicode.Scalar(mark))) has no counterpart")]
      case .shellSyntax(let byte):
        return [
          refused("'\(Diagnostic.escaped([byte]))' is not in quotation marks", hint: "no shell reads it; quote it")
        ]
      }
    }
    let scan = CommandLineScanner(words, endsAtOperand: false)
    var findings: [OptionFinding] = scan.findings.map { finding in
      switch finding {
      case .option(let spec, let spelling, _) where spec.isOfOneRun,
        .takenBack(let spec, let spelling) where spec.isOfOneRun:
        refused("'\(spelling)' cannot stand here", hint: "give it on the command line")
      case .option(let spec, let spelling, let argument):
        .option(spec, spelling: "\(variable): \(spelling)", argument: argument)
      case .refused(let error): refused(error.message, hint: error.hint())
      case .takenBack, .hosts: finding
      }
    }
    if !scan.operands.isEmpty {
      findings.append(refused("it has a word that is no option", hint: "quote arguments with spaces"))
    }
    return findings
  }

  // MARK: Sessions

  /// Reads the options that a session keeps. A file that is missing is one without options.
  ///
  /// - Throws: why the file cannot be read.
  package mutating func readSession(_ path: [UInt8], notedIn inputs: DecidingInputs) throws(Failure) {
    guard let file = try ConfigurationFile.read(ofSession: path, notedIn: inputs) else { return }
    ofSession = ConfigurationParser.findings(file).map { finding in
      switch finding {
      case .option(let spec, let spelling, _) where spec.scope != .session,
        .takenBack(let spec, let spelling) where spec.scope != .session:
        .refused(Failure(.usage, "\(spelling): no session keeps this option", hint: "remove the line"))
      case .hosts:
        .refused(Failure(.usage, "\(NamedFiles.shown(path)): no session keeps sections for hosts", hint: "remove them"))
      case .option, .takenBack, .refused: finding
      }
    }
  }

  // MARK: Secrets

  private static func hasSecret(_ findings: [OptionFinding]) -> Bool {
    findings.contains { finding in
      guard case .option(let spec, _, let argument) = finding, let argument else { return false }
      return switch spec.id {
      case .user, .password, .header: true
      case .proxy: argument.contains(UInt8(ascii: "@"))
      case .cert: argument.contains(UInt8(ascii: ":"))
      default: false
      }
    }
  }

  private static func exposed(_ path: String) -> Diagnostic {
    Diagnostic(message: "warning: other users can read the secrets in \(path)", hint: "chmod 600 \(path)")
  }
}
