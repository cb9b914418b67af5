internal import DownloadLists

/// The rows of sessions, whose tasks outlast a run.
extension OptionTable {
  static let sessionOptions: [OptionSpec] = [
    OptionSpec(
      id: .session, long: "session", short: "S", argument: .required("NAME"),
      effect: OptionEffect {
        $0.invocation.session.name = try $1.nonEmpty()
        if $0.invocation.work == .download { $0.invocation.work = .queue }
      }, verbs: [.queue, .serve], excludes: [.check, .dryRun, .spider, .writeManifest], isOfOneRun: true,
      summary: "Add the files to a session, which outlasts this run",
      detail: """
        Add the files to the session *NAME*, which is made if it is missing, and wait until they have ended; without \
        files wait for all tasks of the session. This process works on the session, unless another one does, which \
        then gets the files. What is unfinished when the run ends stays in the session. See SESSIONS.
        """,
      example: "swiftget -S night -i urls.txt -d data",
      group: .sessions),
    OptionSpec(
      id: .sessionDir, long: "session-dir", argument: .required("DIR"), values: .directories,
      effect: .value(\.session.directory) { try $0.nonEmpty() }, verbs: [.queue, .serve],
      summary: "Where sessions are kept",
      detail: """
        Keep sessions in *DIR*, each in a directory of its name. Without this option it is \
        `$XDG_STATE_HOME/swiftget`, or `~/.local/state/swiftget`.
        """,
      example: "swiftget -S night --session-dir sessions -i urls.txt",
      group: .sessions),
    OptionSpec(
      id: .background, long: "background",
      effect: .flag(\.session.isInBackground), verbs: [.queue], isOfOneRun: true,
      summary: "With -S: return once the files are added",
      detail: """
        With `-S`: end once the files are in the session. If no process works on it, one is started in the background, \
        which ends when all tasks have settled.
        """,
      example: "swiftget -S night -i urls.txt --background",
      group: .sessions),
    OptionSpec(
      id: .group, long: "group", argument: .required("NAME"),
      effect: .value(\.session.group) { try $0.groupName() }, verbs: [.queue], isOfOneRun: true,
      summary: "With -S: the group of the added files (main)",
      detail: """
        With `-S`: put the files that are added into the group *NAME*, 1 to 255 bytes. A group can be paused and limited \
        as a whole. Without this option it is `main`.
        """,
      example: "swiftget -S night --group isos https://example.org/a.iso",
      group: .sessions),
    OptionSpec(
      id: .priority, long: "priority", argument: .required("N"),
      effect: .value(\.session.priority) { try $0.number(in: -100...100) }, verbs: [.queue], isOfOneRun: true,
      summary: "With -S: the priority of the added files, -100 to 100",
      detail: """
        With `-S`: of the tasks that wait, those with the highest priority begin first. *N* is -100 to 100; without this \
        option it is 0.
        """,
      example: "swiftget -S night --priority 10 https://example.org/a.iso",
      group: .sessions, defaultText: "0"),
    OptionSpec(
      id: .paused, long: "paused",
      effect: .flag(\.session.isPaused), verbs: [.queue], isOfOneRun: true,
      summary: "With -S: added files wait until they are resumed",
      detail: """
        With `-S`: the files that are added are paused, each by itself, until `swiftget ctl resume`.
        """,
      example: "swiftget -S night --paused -i urls.txt",
      group: .sessions),
    OptionSpec(
      id: .serve, long: "serve",
      effect: .flag(\.work, .serve), verbs: [.serve], isOfOneRun: true,
      example: "swiftget serve -S night",
      group: .sessions, isHidden: true),
    OptionSpec(
      id: .untilSettled, long: "until-settled",
      effect: .flag(\.session.endsWhenSettled), verbs: [.serve], isOfOneRun: true,
      example: "swiftget serve -S night --until-settled",
      group: .sessions, isHidden: true),
  ]
}
