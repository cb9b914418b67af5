internal import DownloadLists

/// The rows of sessions, whose tasks outlast a run.
extension OptionTable {
  static let sessionOptions: [OptionSpec] = [
    OptionSpec(
      id: .session, long: "session", short: "S", argument: .required("NAME"),
      effect: OptionEffect {
        $0.invocation.session.name = try $1.nonEmpty()
        if $0.invocation.work == .download { $0.invocation.work = .queue }
      }, verbs: [.queue, .serve], scope: .command, excludes: [.check, .dryRun, .spider, .writeManifest],
      isOfOneRun: true,
      summary: "Add the files to a session, which outlasts this run",
      detail: """
        Add the files to the session *NAME*, which is created if it is missing, and wait until they have ended. \
        Without files, wait for all tasks of the session. If no other process works on the session, this one does. \
        Unfinished files stay in the session when the run ends. See SESSIONS in `swiftget-guide`(7).
        """,
      example: "swiftget -S night -i urls.txt -d data",
      group: .sessions),
    OptionSpec(
      id: .sessionDir, long: "session-dir", argument: .required("DIR"), values: .directories,
      effect: .value(\.session.directory) { try $0.nonEmpty() }, verbs: [.queue, .serve], scope: .command,
      summary: "Where sessions are kept",
      detail: """
        Keep sessions in *DIR*, each in a directory of its name. The default is `$XDG_STATE_HOME/swiftget`, or \
        `~/.local/state/swiftget`.
        """,
      example: "swiftget -S night --session-dir sessions -i urls.txt",
      group: .sessions, defaultText: ""),
    OptionSpec(
      id: .background, long: "background",
      effect: .flag(\.session.isInBackground), verbs: [.queue], scope: .command, isOfOneRun: true,
      summary: "With -S: return once the files are added",
      detail: """
        With `-S`: return when the files are in the session. If no process works on it, one is started in the \
        background and ends when all tasks have settled.
        """,
      example: "swiftget -S night -i urls.txt --background",
      group: .sessions),
    OptionSpec(
      id: .group, long: "group", argument: .required("NAME"),
      effect: .value(\.session.group) { try $0.groupName() }, verbs: [.queue], scope: .task, isOfOneRun: true,
      summary: "With -S: the group of the added files (main)",
      detail: """
        With `-S`: add the files to the group *NAME*, 1 to 255 bytes. A group can be paused and limited as a whole. \
        The default is `main`.
        """,
      example: "swiftget -S night --group isos https://example.org/a.iso",
      group: .sessions),
    OptionSpec(
      id: .priority, long: "priority", argument: .required("N"),
      effect: .value(\.session.priority) { try $0.number(in: -100...100) }, verbs: [.queue], scope: .task,
      isOfOneRun: true,
      summary: "With -S: the priority of the added files, -100 to 100",
      detail: """
        With `-S`: waiting tasks with the highest priority begin first. *N* is -100 to 100.
        """,
      example: "swiftget -S night --priority 10 https://example.org/a.iso",
      group: .sessions, defaultText: "0"),
    OptionSpec(
      id: .paused, long: "paused",
      effect: .flag(\.session.isPaused), verbs: [.queue], scope: .task, isOfOneRun: true,
      summary: "With -S: add the files paused",
      detail: "With `-S`: add the files paused, until `swiftget ctl resume`.",
      example: "swiftget -S night --paused -i urls.txt",
      group: .sessions),
    OptionSpec(
      id: .serve, long: "serve",
      effect: .flag(\.work, .serve), verbs: [.serve], scope: .command, isOfOneRun: true,
      example: "swiftget serve -S night",
      group: .sessions, isHidden: true),
    OptionSpec(
      id: .untilSettled, long: "until-settled",
      effect: .flag(\.session.endsWhenSettled), verbs: [.serve], scope: .command, isOfOneRun: true,
      example: "swiftget serve -S night --until-settled",
      group: .sessions, isHidden: true),
  ]
}
