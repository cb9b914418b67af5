/// What another process may ask of a session.
///
/// The names are those of the protocol, in which parameters and answers are JSON objects.
enum ControlMethod: String, CaseIterable, Sendable {
  case methods, session, totals, list, order, ends, describe, groups, subscribe, unsubscribe
  case add, pause, resume, cancel, retry, remove, prioritize, move, set, limit
  case resumeAll = "resume_all"
  case stop
  case continueWork = "continue"

  /// The names of its parameters, with a question mark where they may be missing, and what it does.
  var entry: (parameters: [String], summary: String) {
    let reach = ["tasks?", "select?", "group?", "session?", "ids?"]
    return switch self {
    case .methods: ([], "the methods and what they do")
    case .session: ([], "whether the session is paused, its limits, settings and groups")
    case .totals: (["group?", "select?"], "what all tasks, those of a group or a selection, come to together")
    case .list:
      (["after?", "limit?", "select?", "fields?", "rows?"], "tasks in the order of their ids, at most 1,000 at a time")
    case .order:
      (
        ["from?"],
        "the ids of tasks in the order of work, at most 100,000 at a time; settled ones are where they would begin again"
      )
    case .ends:
      (["since?", "limit?", "select?"], "settled tasks in the order of their ends, after the end with a number")
    case .describe: (["tasks"], "connections, written ranges and hosts of tasks that have begun, at most 100")
    case .groups: ([], "the groups, whether they are paused, and their limits")
    case .subscribe: (["since?", "begun?"], "tells of changes from now on, and of the ends since a number")
    case .unsubscribe: ([], "ends that")
    case .add: (["requests", "settings?", "paused?"], "adds files, at most 1,000 at a time")
    case .pause: (reach, "keeps tasks from going on; of a group or the session it is a flag")
    case .resume: (reach, "takes exactly that back, and begins settled tasks again")
    case .cancel: (reach, "ends tasks and drops their bytes")
    case .retry: (reach, "begins settled tasks again, and ends waits")
    case .remove: (reach + ["files?"], "has the session forget tasks")
    case .prioritize: (reach + ["priority"], "gives tasks a priority")
    case .move: (reach + ["to"], "moves tasks in the queue, or to a group")
    case .set: (reach + ["settings"], "changes how tasks are fetched")
    case .limit: (["group?", "limits"], "changes limits of the session or a group")
    case .resumeAll: (["ids?"], "clears all pauses")
    case .stop: (["mode?"], "ends the process's work on the session")
    case .continueWork: ([], "has the work continue in the background if the process ends with tasks unfinished")
    }
  }
}
