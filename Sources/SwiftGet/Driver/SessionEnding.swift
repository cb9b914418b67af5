/// What comes with the end of a session.
struct SessionEnding: Sendable {
  /// Whether the work continues in another process if this one ends with tasks unfinished.
  enum Continuation: Sendable {
    case impossible
    case possible
    case wanted

    /// - Returns: whether it continues.
    mutating func ask() -> Bool {
      if self == .possible { self = .wanted }
      return self == .wanted
    }
  }

  var continuation = Continuation.impossible
  /// Whether handlers are called no more.
  var closesHandlers = false
  /// Called before the session is given back.
  var atEnd: (@Sendable () -> Void)?
  /// Paths of files that are still open when the engine has ended.
  var unreleased: [String] = []
  /// Calls that return when nothing works on the session here any more.
  var closers: [CheckedContinuation<Void, Never>] = []
}
