package import DownloadCore
package import DownloadEvents

/// Options of runs that scripts and timers start, as far as they do not concern a single download.
package struct UnattendedSettings: Sendable, Equatable {
  /// The status of a successful run in which a file was downloaded or replaced; nil is 0.
  package var changedExit: Int32?

  /// When the run ends, whatever is left; nil is unlimited.
  package var deadline: DeadlineChoice?
  /// The longest random wait before the first request.
  package var splay: Duration = .zero
  /// Commands that this process runs, by what they are run for.
  package var hooks: [HookEvent: CommandWords] = [:]
  /// Those that a session keeps with the tasks that are added. None is for the end of the run.
  package var hooksOfTasks: [HookEvent: CommandWords] = [:]
  /// For each hook; nil is unlimited.
  package var hookTimeout: Duration? = .seconds(60)
  /// Whether the desktop tells of the end of the run.
  package var notifies = false

  package init() {}

  /// Whether this process has hooks for files.
  package var hasHooksOfFiles: Bool { hooks.keys.contains { $0 != .exit } }
}
