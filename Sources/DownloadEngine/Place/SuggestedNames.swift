internal import DownloadCore
internal import DownloadFiles

/// The targets of a run in which answers name files, so that no two files get one name.
struct SuggestedNames {
  private var tasks: [[UInt8]: TaskID] = [:]
  /// The first of names that a file system may take for one, by their hash.
  private var alike: [UInt64: [UInt8]] = [:]
  /// What no item may have.
  private let taken: Set<[UInt8]>

  init(taken: [[UInt8]]) { self.taken = Set(taken) }

  /// - Parameters:
  ///   - name: a target relative to the directory of the run.
  ///   - directory: that directory, whose file system is asked whether two names are one.
  ///   - isKnown: whether there still is such a task.
  /// - Returns: false if another task has it, or none may have it.
  mutating func take(
    _ name: [UInt8], by task: TaskID, in directory: DirectoryHandle, isKnown: (TaskID) -> Bool
  ) -> Bool {
    if taken.contains(name) { return false }
    if let other = tasks[name], other == task || isKnown(other) { return other == task }
    let key = AlikeNames.hash(name, continuing: StableHash.seed)
    if let first = alike[key], let other = tasks[first], other != task, isKnown(other) {
      if NameProbe(in: directory)?.alikeNames(first, name) != nil { return false }
    } else {
      alike[key] = name
    }
    tasks[name] = task
    return true
  }
}
