/// How a command has ended a task.
package enum Withdrawal: Sendable, Hashable {
  /// The task counts as unfinished business of the run.
  case cancelled
  /// The queue forgets the task.
  case removed
}
