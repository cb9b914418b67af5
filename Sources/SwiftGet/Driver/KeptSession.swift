/// The session of a driver, which is kept while handlers are still to be called.
struct KeptSession {
  /// `DownloadSession`, of which the driver needs to know nothing.
  typealias Session = any AnyObject & Sendable

  /// What the handles of the session refer to.
  weak var session: Session?
  private var keeper: Session?

  /// - Parameter isNeeded: whether a handler is still to be called.
  /// - Returns: the session, if it is not kept any more; to be given up without the lock.
  mutating func keep(_ isNeeded: Bool) -> Session? {
    guard isNeeded else { return keeper.take() }
    if keeper == nil { keeper = session }
    return nil
  }
}
