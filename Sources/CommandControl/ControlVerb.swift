/// A verb of `swiftget ctl`: what follows it, what it does, which options it has. Help, man page and completions are made
/// of these or compared with them.
package struct ControlVerb: Sendable, Hashable {
  package enum VerbName: String, Sendable, CaseIterable {
    case list, show, add, pause, resume, cancel, remove, retry, move, set, limit, wait, watch, log, export, status
    case sessions, stop
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
    /// URLs, with options of the command line of a download.
    case files

    package var areSelectors: Bool {
      switch self {
      case .selectors, .neededSelectors, .selectorsAndValues, .groupAndValues: true
      case .none, .files: false
      }
    }
  }

  package let name: VerbName
  package let operands: Operands
  package let options: [ControlOption]
  /// In full sentences.
  package let summary: String
  /// More on it, a line each.
  package let details: [String]

  private init(
    _ name: VerbName, _ operands: Operands, _ options: [ControlOption] = [], _ summary: String, _ details: [String] = []
  ) {
    (self.name, self.operands, self.options) = (name, operands, options)
    (self.summary, self.details) = (summary, details)
  }

  package static func named(_ name: VerbName) -> ControlVerb {
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
    case .files: words.append("[OPTIONS] URL...|-i FILE")
    }
    return words.joined(separator: " ")
  }

  package static let all: [ControlVerb] = [
    ControlVerb(
      .list, .selectors, [.json, .fields, .sort, .groups, .selectorsOnly], "Lists tasks.",
      [
        "On a terminal the table is cut to its width, and failures come first. Otherwise each task is a line with tabs",
        "between the fields, in the order of adds, and the first line has the names of the fields.",
      ]),
    ControlVerb(
      .show, .selectors, [.jsonObject],
      "Shows tasks in detail; without selectors the session with its limits and settings."),
    ControlVerb(
      .add, .files, [.paused, .group, .priority],
      "Adds files and prints their numbers and ids.",
      [
        "The session is created if it is missing. If no process works on it, it keeps the files, and nothing starts.",
        "Files that it has already are not added twice: those that have settled begin again, the others stay as they are.",
        "The options for lists, names and requests are those of swiftget.",
      ]),
    ControlVerb(
      .pause, .neededSelectors, [.dryRun],
      "Pauses tasks; their bytes are kept.",
      ["@all alone pauses the session and group:NAME alone the group; both apply to later tasks, too."]),
    ControlVerb(
      .resume, .neededSelectors, [.dryRun, .everything],
      "Resumes paused tasks, and starts settled ones again.",
      ["resume @all resumes the session; resume --all clears all pauses: of the session, groups and tasks."]),
    ControlVerb(.cancel, .neededSelectors, [.dryRun], "Cancels tasks and removes their unfinished bytes."),
    ControlVerb(
      .remove, .neededSelectors, [.dryRun, .files, .yes], "Removes tasks from the session, with their unfinished bytes."
    ),
    ControlVerb(
      .retry, .neededSelectors, [.dryRun],
      "Starts settled tasks again, from the bytes that are there, and ends waits."),
    ControlVerb(
      .move, .neededSelectors, [.dryRun, .to], "Moves tasks in the queue, or to another group."),
    ControlVerb(
      .set, .selectorsAndValues, [.dryRun],
      "Changes how tasks are fetched, from now on.",
      [
        "The selector @session changes the settings of the session itself, and the options that it keeps for the process",
        "that works on it, such as cacert=FILE: see swiftget serve --help. KEY= without a value removes the setting.",
        "user=- and header=- read from standard input, user=@FILE and header=@FILE from a file: user is NAME:PASSWORD,",
        "header has lines. They are kept only in the memory of the process that works on the session.",
        "out=NAME renames the file of one task, finished or not, while the task does not run.",
        "Keys: " + SettingKey.names.joined(separator: ", ") + ".",
      ]),
    ControlVerb(
      .limit, .groupAndValues, [.dryRun],
      "Changes limits of the session or a group; without values it prints them.",
      ["Keys: " + LimitKey.names.joined(separator: ", ") + ". KEY=off removes a limit."]),
    ControlVerb(
      .wait, .neededSelectors, [.timeout],
      "Waits until the selected tasks have settled. The exit status is that of a run of them.",
      [
        "@all stands for the tasks that have not settled yet. To count those that have failed before, too, select them",
        "with '*' or group:NAME. Without a process that works on the session it ends with status 3.",
      ]),
    ControlVerb(
      .watch, .selectors, [.plain],
      "Shows the session on the whole terminal until q is pressed; the work continues.",
      [
        "Keys: arrows choose a file, p pauses and resumes it, P the session, r retries it, c cancels it, d removes it,",
        "? lists all keys.",
        "--plain, and a pipe, get lines without cursor movement.",
      ]),
    ControlVerb(
      .log, .selectors, [.follow, .since, .jsonObject],
      "Prints the last end of each settled task, in their order: number of the end, time, state, path and reason."),
    ControlVerb(
      .export, .selectors, [],
      "Prints tasks as JSON Lines, which -i reads, without secrets; without selectors those that have not succeeded."),
    ControlVerb(.status, .none, [.jsonObject], "Prints one line on the session."),
    ControlVerb(
      .sessions, .none, [.jsonArray, .namesOnly], "Lists the sessions, and who works on them."),
    ControlVerb(
      .stop, .none, [.finish, .now],
      "Stops the work on the session: transfers stop, and their bytes are kept."),
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
    "--session", "-S", .required("NAME"), summary: "The session. The default is $SWIFTGET_SESSION, or \"default\".")
  static let sessionDirectory = ControlOption(
    "--session-dir", nil, .required("DIR"), summary: "The directory that has the directories of sessions.")
  static let help = ControlOption("--help", "-h", summary: "Shows this.")

  static let dryRun = ControlOption("--dry-run", "-n", summary: "Prints what would be changed, and changes nothing.")
  static let json = ControlOption(
    "--json", nil, .optional("FIELDS"), summary: "One array of objects, with all members or these.")
  static let jsonObject = ControlOption("--json", summary: "The same as JSON.")
  static let jsonArray = ControlOption("--json", summary: "One array of objects.")
  static let fields = ControlOption(
    "--fields", nil, .required("FIELDS"), summary: "Which fields the lines have, separated by commas.")
  static let sort = ControlOption(
    "--sort", nil, .required("FIELD"),
    summary: "Sorts by number, state, name, size, bytes_done, rate, priority, group or order: the order of work.")
  static let groups = ControlOption("--groups", summary: "Lists the groups instead.")
  static let selectorsOnly = ControlOption(
    "--selectors", summary: "Prints selectors for completion: the groups, the states, and up to 1,000 tasks.")
  static let everything = ControlOption("--all", summary: "Clears all pauses: of session, groups and tasks.")
  static let files = ControlOption(
    "--files", summary: "Deletes finished files, too, that the session has put there and that nothing has replaced.")
  static let yes = ControlOption("--yes", summary: "Does not ask.")
  static let to = ControlOption(
    "--to", nil, .required("PLACE"), summary: "first, last, before:ID, after:ID or group:NAME; required.")
  static let paused = ControlOption("--paused", summary: "Adds the files paused.")
  static let group = ControlOption(
    "--group", nil, .required("NAME"), summary: "The group of the files; the default is main.")
  static let priority = ControlOption(
    "--priority", nil, .required("N"), summary: "-100 to 100; the file with the highest priority starts first.")
  static let plain = ControlOption("--plain", summary: "Prints lines, for a screen reader or a pipe.")
  static let follow = ControlOption("--follow", "-f", summary: "Also prints the ends to come, until it is interrupted.")
  static let since = ControlOption(
    "--since", nil, .required("TIME"),
    summary: "Starts after the end with this number, or at a time: 2h, which is 2 hours ago, or 2026-11-28T09:30Z.")
  static let timeout = ControlOption(
    "--timeout", nil, .required("TIME"), summary: "Stops waiting after this time, with exit status 75.")
  static let namesOnly = ControlOption("--names", summary: "Prints only the names, and asks no session.")
  static let finish = ControlOption("--finish", summary: "Finishes the files that have started.")
  static let now = ControlOption("--now", summary: "Stops at once, without waiting for anything.")

  /// Those of all verbs.
  package static let common = [session, sessionDirectory, help]
}
