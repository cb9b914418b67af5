/// What another process may ask of a session.
///
/// The names are those of the protocol, in which parameters and answers are JSON objects.
enum ControlMethod: String, CaseIterable, Sendable {
  case methods, session, totals, list, order, ends, describe, groups, subscribe, unsubscribe
  case add, pause, resume, cancel, retry, remove, prioritize, move, set, limit
  case resumeAll = "resume_all"
  case stop
  case continueWork = "continue"

  /// What it does, for `methods`.
  var summary: String {
    switch self {
    case .methods: "the methods and what they do"
    case .session: "whether the session is paused, its limits, settings and groups"
    case .totals: "what all tasks, those of a group or a selection, come to together"
    case .list: "tasks in the order of their ids, at most 1,000 at a time"
    case .order:
      "the ids of tasks in the order of work, at most 100,000 at a time; settled ones are where they would begin again"
    case .ends: "settled tasks in the order of their ends, after the end with a number"
    case .describe: "connections, written ranges and hosts of tasks that have begun, at most 100"
    case .groups: "the groups, whether they are paused, and their limits"
    case .subscribe: "tells of changes from now on, and of the ends since a number"
    case .unsubscribe: "ends that"
    case .add: "adds files, at most 1,000 at a time"
    case .pause: "keeps tasks from going on; of a group or the session it is a flag"
    case .resume: "takes exactly that back, and begins settled tasks again"
    case .cancel: "ends tasks and drops their bytes"
    case .retry: "begins settled tasks again, and ends waits"
    case .remove: "has the session forget tasks"
    case .prioritize: "gives tasks a priority"
    case .move: "moves tasks in the queue, or to a group"
    case .set: "changes how tasks are fetched"
    case .limit: "changes limits of the session or a group"
    case .resumeAll: "clears all pauses"
    case .stop: "ends the process's work on the session"
    case .continueWork: "has the work continue in the background if the process ends with tasks unfinished"
    }
  }

  /// Names of its parameters; those that may be missing have a question mark.
  var parameters: [String] {
    switch self {
    case .methods, .session, .groups, .unsubscribe, .continueWork: []
    case .resumeAll: ["ids?"]
    case .totals: ["group?", "select?"]
    case .list: ["after?", "limit?", "select?", "fields?", "rows?"]
    case .order: ["from?"]
    case .subscribe: ["since?", "begun?"]
    case .ends: ["since?", "limit?", "select?"]
    case .describe: ["tasks"]
    case .add: ["requests", "settings?", "paused?"]
    case .pause, .resume, .cancel, .retry: ["tasks?", "select?", "group?", "session?", "ids?"]
    case .remove: ["tasks?", "select?", "group?", "session?", "ids?", "files?"]
    case .prioritize: ["tasks?", "select?", "group?", "session?", "ids?", "priority"]
    case .move: ["tasks?", "select?", "group?", "session?", "ids?", "to"]
    case .set: ["tasks?", "select?", "group?", "session?", "ids?", "settings"]
    case .limit: ["group?", "limits"]
    case .stop: ["mode?"]
    }
  }
}
