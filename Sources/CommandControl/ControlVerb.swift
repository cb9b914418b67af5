/// A verb of `swiftget ctl`: what follows it, what it does, which options it has. Help, man page and completions are made
/// of these or compared with them.
package struct ControlVerb: Sendable, Hashable {
  package enum Name: String, Sendable, CaseIterable {
    case list, show, pause, resume, cancel, remove, retry, move, set, limit, wait, export, status, sessions, stop
  }

  /// What the words after a verb are.
  package enum Operands: Sendable, Hashable {
    case none
    /// What it is about; without selectors it is about all.
    case selectors
    /// What it changes; without selectors it is an error.
    case neededSelectors
    /// As `neededSelectors`, then `KEY=VALUE`.
    case selectorsAndValues
    /// A group perhaps, then `KEY=VALUE`.
    case groupAndValues
  }

  package let name: Name
  package let operands: Operands
  package let options: [ControlOption]
  /// In full sentences.
  package let summary: String
  /// More on it, a line each.
  package let details: [String]

  private init(
    _ name: Name, _ operands: Operands, _ options: [ControlOption] = [], _ summary: String, _ details: [String] = []
  ) {
    (self.name, self.operands, self.options) = (name, operands, options)
    (self.summary, self.details) = (summary, details)
  }

  package static func named(_ name: Name) -> ControlVerb {
    guard let verb = all.first(where: { $0.name == name }) else { preconditionFailure("\(name) is not in the table") }
    return verb
  }

  /// What follows the program's name.
  package var usage: String {
    var words = ["ctl", "[-S NAME]", name.rawValue]
    words += options.map(\.usage)
    switch operands {
    case .none: break
    case .selectors: words.append("[SELECTOR...]")
    case .neededSelectors: words.append("SELECTOR...")
    case .selectorsAndValues: words.append("SELECTOR... KEY=VALUE...")
    case .groupAndValues: words.append("[group:NAME] [KEY=VALUE...]")
    }
    return words.joined(separator: " ")
  }

  /// Whether it changes something.
  package var isChanging: Bool { options.contains(.dryRun) }

  package static let all: [ControlVerb] = [
    ControlVerb(
      .list, .selectors, [.json, .fields, .sort, .groups], "Lists tasks.",
      [
        "On a terminal the table is cut to its width, and failures come first. Elsewhere it is lines with tabs between",
        "the fields, the first of which has their names, in the order of adds.",
      ]),
    ControlVerb(
      .show, .selectors, [.jsonObject],
      "Shows tasks in detail; without selectors the session with its limits and settings."),
    ControlVerb(
      .pause, .neededSelectors, [.dryRun],
      "Keeps tasks from going on; their bytes are kept.",
      ["@all or group:NAME alone is a flag of the session or group, which holds for later tasks, too."]),
    ControlVerb(
      .resume, .neededSelectors, [.dryRun, .everything],
      "Takes exactly that pause back, and begins tasks again that have settled.",
      ["resume @all clears the flag of the session; resume --all clears all pauses: of session, groups and tasks."]),
    ControlVerb(.cancel, .neededSelectors, [.dryRun], "Ends tasks and drops their bytes."),
    ControlVerb(
      .remove, .neededSelectors, [.dryRun, .files, .yes], "Has the session forget tasks; bytes of unfinished ones go."),
    ControlVerb(
      .retry, .neededSelectors, [.dryRun],
      "Begins settled tasks again with the bytes that are there, and ends waits."),
    ControlVerb(
      .move, .neededSelectors, [.dryRun, .to], "Moves tasks in the queue, or to another group."),
    ControlVerb(
      .set, .selectorsAndValues, [.dryRun],
      "Changes how tasks are fetched, from now on.",
      [
        "The selector @session means the settings of the session itself. KEY= without a value gives the decision back to",
        "group and session. user=- and header=- read from standard input, user=@FILE and header=@FILE from a file: user",
        "is NAME:PASSWORD, header has lines. They stay in the memory of the process that works on the session.",
        "Keys: " + SettingKey.names.joined(separator: ", ") + ".",
      ]),
    ControlVerb(
      .limit, .groupAndValues, [.dryRun],
      "Changes limits of the session or a group; without values it prints them.",
      ["Keys: " + LimitKey.names.joined(separator: ", ") + ". KEY=off takes a limit away."]),
    ControlVerb(
      .wait, .neededSelectors, [.timeout],
      "Waits until the tasks have settled that are selected now, and ends with the status of a run of them."),
    ControlVerb(
      .export, .selectors, [],
      "Prints tasks as JSON Lines, which -i reads, without secrets; without selectors those that have not succeeded."),
    ControlVerb(.status, .none, [.jsonObject], "Prints one line on the session."),
    ControlVerb(
      .sessions, .none, [.jsonArray, .namesOnly], "Lists the sessions, and who works on them."),
    ControlVerb(
      .stop, .none, [.finish, .now],
      "Ends the work on the session: transfers end, and their bytes are kept."),
  ]
}

/// An option of `swiftget ctl`.
package struct ControlOption: Sendable, Hashable {
  package enum Argument: Sendable, Hashable {
    case nothing
    case required(String)
    /// Only after an equals sign.
    case optional(String)
  }

  /// With its hyphens.
  package let name: String
  /// The same with one letter.
  package let short: String?
  package let argument: Argument
  package let summary: String

  init(_ name: String, _ short: String? = nil, _ argument: Argument = .nothing, summary: String) {
    (self.name, self.short, self.argument, self.summary) = (name, short, argument, summary)
  }

  package var usage: String {
    switch argument {
    case .nothing: "[\(short ?? name)]"
    case .required(let argument): "[\(name) \(argument)]"
    case .optional(let argument): "[\(name)[=\(argument)]]"
    }
  }

  package static let session = ControlOption(
    "--session", "-S", .required("NAME"), summary: "The session; else $SWIFTGET_SESSION, else default.")
  static let sessionDirectory = ControlOption(
    "--session-dir", nil, .required("DIR"), summary: "The directory that has the directories of sessions.")
  static let help = ControlOption("--help", "-h", summary: "Shows this.")

  static let dryRun = ControlOption("--dry-run", "-n", summary: "Says what would be reached, and changes nothing.")
  static let json = ControlOption(
    "--json", nil, .optional("FIELDS"), summary: "One array of objects, with these of their members or all.")
  static let jsonObject = ControlOption("--json", summary: "The same as JSON.")
  static let jsonArray = ControlOption("--json", summary: "One array of objects.")
  static let fields = ControlOption(
    "--fields", nil, .required("FIELDS"), summary: "Which fields the lines have, separated by commas.")
  static let sort = ControlOption(
    "--sort", nil, .required("FIELD"),
    summary: "Sorts by number, state, name, size, bytes_done, rate, priority or group.")
  static let groups = ControlOption("--groups", summary: "Lists the groups instead.")
  static let everything = ControlOption("--all", summary: "Clears all pauses: of session, groups and tasks.")
  static let files = ControlOption(
    "--files", summary: "Deletes finished files, too, that the session has put there and that nothing has replaced.")
  static let yes = ControlOption("--yes", summary: "Does not ask.")
  static let to = ControlOption(
    "--to", nil, .required("PLACE"), summary: "first, last, before:ID, after:ID or group:NAME; it is needed.")
  static let timeout = ControlOption("--timeout", nil, .required("TIME"), summary: "Ends with 75 after this time.")
  static let namesOnly = ControlOption("--names", summary: "Prints the names alone, and asks no session.")
  static let finish = ControlOption("--finish", summary: "Lets files end that have begun.")
  static let now = ControlOption("--now", summary: "Waits for nothing.")

  /// Those of all verbs.
  package static let common = [session, sessionDirectory, help]
}
