/// How a command that was run has ended.
package enum ChildEnd: Sendable, Hashable {
  case exited(status: Int32)
  /// By a signal that is not ours.
  case killed(signal: Int32)
  /// It lasted too long.
  case timedOut
  /// It was ended with the run, or it was not wanted any more.
  case cancelled
  /// As in errno(3).
  case notStarted(errno: Int32)

  package var isSuccess: Bool { self == .exited(status: 0) }
}
