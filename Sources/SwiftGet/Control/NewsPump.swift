internal import DownloadCore
internal import DownloadJSON

/// Tells the changes of a session to one client of its control.
final class NewsPump: Sendable {
  private let feed: FeedHandle
  private let tell: @Sendable (_ method: String, JSONObject) -> Void
  /// Which version of the session's flags, limits and settings was told. One thread at a time tells.
  private let toldVersion = Lock<Int?>(nil)

  /// - Parameters:
  ///   - since: the number of an end; later ones are told, too. Nil for those to come.
  ///   - isOfBegun: whether tasks that only wait for their turn are left out.
  ///   - tell: sends a call without an id.
  init(
    _ session: DownloadSession, since: Int64?, isOfBegun: Bool,
    tell: @escaping @Sendable (_ method: String, JSONObject) -> Void
  ) {
    feed = FeedHandle(session, every: SessionAudiences.usualInterval, since: since, isOfBegun: isOfBegun)
    self.tell = tell
  }

  private var driver: SessionDriver { feed.session.driver }

  /// Tells them until the session is closed, or the Swift task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let isClosed = driver.isClosed
      tellChanges()
      if isClosed { return }
      await feed.watcher.next()
    }
  }

  /// Tells everything that has changed so far, as soon as it outlasts a power cut.
  func catchUp() async {
    await driver.endsAreStored()
    tellChanges()
  }

  private func tellChanges() {
    toldVersion.withLock { told in
      let session = driver.core.withLock { core -> JSONObject? in
        if core.state.groups.version == told { return nil }
        told = core.state.groups.version
        return core.state.groups.sessionText
      }
      if let session { tell("session", session) }
      while let change = feed.next() {
        if let (method, parameters) = change.news { tell(method, parameters) }
      }
    }
  }
}

extension DownloadChange {
  /// The call that tells it; nil for what the client sees by itself.
  var news: (method: String, parameters: JSONObject)? {
    var parameters = JSONObject()
    switch self {
    case .task(let snapshot): return ("task", snapshot.json)
    case .ended(let snapshot, let number):
      parameters = snapshot.json
      parameters.add("seq", number)
      return ("ended", parameters)
    case .removed(let id):
      parameters.add("id", id.description)
      return ("removed", parameters)
    case .totals(let totals): return ("totals", totals.json)
    case .condition(let condition, let isOver):
      parameters.add("condition", condition.rawValue)
      parameters.add("over", isOver)
      return ("condition", parameters)
    case .worker: return nil
    case .upToDate: return ("up_to_date", parameters)
    case .gap: return ("gap", parameters)
    }
  }
}
