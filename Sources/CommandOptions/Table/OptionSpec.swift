package import DownloadLists

/// The section of help and manual that lists an option.
package enum OptionGroup: String, Sendable, CaseIterable {
  case input = "What to download, and where to"
  case speed = "How fast"
  case patience = "When to retry, and when to give up"
  case existing = "What to do with existing files, and what to accept"
  case requests = "What to send to servers"
  case network = "Which network to use, and whom to trust"
  case sessions = "How to queue files in a session"
  case unattended = "How to run unattended"
  case localFiles = "What to do instead of downloading"
  case display = "What to show and to record"
}

/// What an option belongs to where a session is worked on.
package enum OptionScope: Sendable {
  /// The process that adds files, which uses it up.
  case input
  /// The files that are added with it.
  case task
  /// The session, which keeps it for later processes: what is needed to download its files.
  case session
  /// The limits of the session.
  case limits
  /// The process that works on the session.
  case worker
  /// The process that it is given to.
  case command
}

/// What a run must have for an option to mean something.
enum OptionNeed: Sendable, Equatable {
  case oneURL, list, oneList
  case option(OptionID)
}

/// One row of the option table: everything about an option. Parser, help, man page and completions use nothing else.
package struct OptionSpec: Sendable {
  package enum Argument: Sendable, Equatable {
    case nothing
    /// The placeholder that help shows.
    case required(String)
    /// Given as `--name=VALUE` only.
    case optional(String)
  }

  /// What shell completions offer for the argument.
  package enum AcceptedValues: Sendable, Equatable {
    case free, files, directories
    case oneOf([String])
  }

  /// How much of the argument the file of `--report` shows.
  enum Disclosure: Sendable, Equatable {
    /// All, but the userinfo and the query of a URL.
    case withoutSecretsOfURLs
    /// The name of the header field.
    case fieldName
    case nothing
  }

  package let id: OptionID
  /// Without the dashes.
  package let long: String
  var aliases: [String] = []
  var short: Character?
  var shortAliases: [Character] = []
  package var argument: Argument = .nothing
  package var values: AcceptedValues = .free
  /// What it does to the invocation.
  let effect: OptionEffect
  /// The kinds of runs in which it means something. Another one refuses it on the command line, and passes over it in the
  /// configuration.
  package var verbs: Set<FileWork> = .workers
  /// What it belongs to where a session is worked on.
  package var scope = OptionScope.session
  /// Whether all of several count, and not the last one only.
  package var repeats = false
  /// Options that contradict it: of two sources the one that counts more wins, and within one source that is an error.
  var excludes: [OptionID] = []
  /// Checked for options of the command line.
  var needs: [OptionNeed] = []
  /// The flag that takes it back, which no derived name does then.
  var opposite: OptionID?
  /// Whether it says what one run does, and cannot stand in the configuration file or in `SWIFTGET_OPTIONS`.
  var isOfOneRun = false
  /// Whether it may be set for hosts: what the engine chooses for each request.
  package var isForHosts = false
  /// Fits on one line of the help; no full stop. Hidden options have neither this nor `detail`.
  package var summary = ""
  /// For the man page and `--help NAME`, in full sentences, with `` `bold` `` and `*italic*`. What needs more than a few
  /// sentences is in swiftget-guide(7).
  package var detail = ""
  /// A command line with this option, which `--help NAME` shows. A test runs it with servers and files of its own.
  package let example: String
  package let group: OptionGroup
  /// The default: the argument that has the same effect as leaving the option out, where there is one. Help does not show
  /// an empty one.
  package var defaultText: String?
  /// Shown by `-h`.
  package var isCommon = false
  /// Whether it is a habit from elsewhere or an old name, which goes on working and is shown nowhere.
  package var isHidden = false
  var disclosure = Disclosure.withoutSecretsOfURLs

  /// Whether, with a session, it concerns the process that works on it and holds for all files of that process.
  var isOfWorker: Bool { scope == .session || scope == .worker }

  package var shorts: [Character] { (short.map { [$0] } ?? []) + shortAliases }
  package var longs: [String] { [long] + aliases }
  /// All of them with their dashes.
  package var spellings: [String] { shorts.map { "-\($0)" } + longs.map { "--\($0)" } }

  /// The name that takes a flag back, unless another option has it.
  var negation: String {
    long.hasPrefix("no-") ? String(long.dropFirst("no-".count)) : "no-" + long
  }

  /// The words that the argument may be, where it is one of some.
  var choices: [String] { if case .oneOf(let choices) = values { choices } else { [] } }

  /// Whether this argument takes the option back.
  func isDefault(_ argument: [UInt8]?) -> Bool { defaultText.map { argument?.elementsEqual($0.utf8) == true } ?? false }

  /// `-d, --dir DIR`
  package var usage: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--\(long)"
    switch argument {
    case .nothing: return names
    case .required(let name): return "\(names) \(name)"
    case .optional(let name): return "\(names)[=\(name)]"
    }
  }
}
