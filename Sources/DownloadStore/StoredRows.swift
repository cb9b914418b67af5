package import DownloadCore

/// A task as a session's store keeps it: one row.
package struct StoredTask: Hashable, Sendable {
  /// What people and programs want of it, which a restart still carries out.
  package enum Want: Int64, Sendable, CaseIterable {
    case run, paused, cancelled
    /// The row stays until the task's files are gone: the unfinished one, or the finished one, too.
    case removed, removedWithFile
  }

  /// How it ended.
  package struct StoredEnd: Hashable, Sendable {
    package enum Kind: Int64, Sendable, CaseIterable { case succeeded, failed, cancelled }

    package var kind: Kind
    /// Counts the ends of the session, from 1.
    package var number: Int64
    /// Milliseconds since 1970.
    package var time: Int64
    /// JSON: the file that is there, or the error.
    package var outcome: String

    package init(kind: Kind, number: Int64, time: Int64, outcome: String) {
      self.kind = kind
      self.number = number
      self.time = time
      self.outcome = outcome
    }
  }

  /// What is to be different in a row.
  package enum Edit: Hashable, Sendable {
    /// What is to be removed stays so.
    case want(Want)
    case group(String)
    case priority(Int64)
    /// Its rank becomes that of the place.
    case move(Place)
    case path([UInt8])
    case request(String)
    case settings(String)
    /// What is there of its file, and since when it has been fetched. Nothing changes if it has settled.
    case progress(String, started: Int64?)
    /// It has settled, having begun at that time. What was wanted of it is done, unless it is to be removed.
    case settled(StoredEnd, started: Int64?)
    /// It is to be done again.
    case unsettled
  }

  /// A place in the order of work, among all tasks.
  package enum Place: Hashable, Sendable {
    case first, last
    /// Beside another task. Without that one nothing changes.
    case before(TaskID), after(TaskID)
  }

  package let id: TaskID
  /// The short number that people see, unique in the session.
  package var number: Int64
  /// The caller's own name for it.
  package var key: String?
  package var group: String
  package var priority: Int64
  /// Where it stands among those of its priority: the lowest comes first.
  package var rank: Int64
  package var want: Want
  /// The target. A relative path starts at the session's own directory.
  package var path: [UInt8]
  /// JSON without secrets.
  package var request: String
  /// JSON: what was set after the add.
  package var settings: String
  /// Milliseconds since 1970.
  package var added: Int64
  /// Milliseconds since 1970; nil before its first beginning.
  package var started: Int64?
  /// Nil while it is unsettled.
  package var end: StoredEnd?
  /// JSON: what is there of the file of an unsettled task; nil if nothing is known of it.
  package var progress: String?

  /// Whether it is to be removed.
  package var isLeaving: Bool { want == .removed || want == .removedWithFile }

  package init(
    id: TaskID, number: Int64, key: String? = nil, group: String, priority: Int64 = 0, rank: Int64,
    want: Want = .run, path: [UInt8], request: String, settings: String = "{}", added: Int64, started: Int64? = nil,
    end: StoredEnd? = nil, progress: String? = nil
  ) {
    self.id = id
    self.number = number
    self.key = key
    self.group = group
    self.priority = priority
    self.rank = rank
    self.want = want
    self.path = path
    self.request = request
    self.settings = settings
    self.added = added
    self.started = started
    self.end = end
    self.progress = progress
  }
}

/// A group that has limits or is paused.
package struct StoredGroup: Hashable, Sendable {
  package let name: String
  package var isPaused: Bool
  /// JSON.
  package var limits: String
  /// JSON.
  package var settings: String

  package init(name: String, isPaused: Bool = false, limits: String = "{}", settings: String = "{}") {
    self.name = name
    self.isPaused = isPaused
    self.limits = limits
    self.settings = settings
  }
}

/// What is stored of the session itself.
package struct StoredSession: Hashable, Sendable {
  package var isPaused = false
  /// JSON.
  package var limits = "{}"
  /// JSON.
  package var settings = "{}"

  package init() {}
}

/// The greatest numbers that a session has given, to tasks that are forgotten, too. None is given again.
package struct StoredNumbers: Hashable, Sendable {
  package var task = TaskID(0)
  package var number: Int64 = 0
  package var end: Int64 = 0

  package init() {}

  mutating func cover(_ row: StoredTask) {
    task = max(task, row.id)
    number = max(number, row.number)
    end = max(end, row.end?.number ?? 0)
  }
}

/// What is to be different in a store. Rows are written whole.
package enum StoreChange: Hashable, Sendable {
  case put(StoredTask)
  /// A new row, which comes behind all others, whatever its rank says.
  case add(StoredTask)
  /// It is no error if there is no such row.
  case edit(TaskID, [StoredTask.Edit])
  /// Its row goes. It is no error if there is none.
  case forget(TaskID)
  case putGroup(StoredGroup)
  case putSession(StoredSession)
}
