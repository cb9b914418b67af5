internal import DownloadCore
internal import DownloadJSON

/// Commands as calls of the process that works on the session.
extension DownloadReach {
  /// Has a command obeyed by whoever works on the session.
  ///
  /// - Parameters:
  ///   - method: what another process is called with.
  ///   - fill: adds to its parameters what is not the reach.
  ///   - here: obeys the command if this process works on the session.
  func obey(
    _ method: ControlMethod, _ fill: (inout JSONObject) -> Void = { _ in },
    here: () async throws(DownloadError) -> CommandEffect
  ) async throws(DownloadError) -> CommandEffect {
    guard let driver = session?.driver else { return CommandEffect() }
    var effect = CommandEffect()
    if driver.remote == nil {
      effect = try await here()
    } else {
      for var parameters in target.parameters {
        fill(&parameters)
        effect.add(
          try await driver.obey(method, parameters, { CommandEffect(json: $0) }, here: here))
      }
    }
    // For one task it is an error.
    if case .tasks(let ids) = target, ids.count == 1, let error = effect.failures.first { throw error }
    return effect
  }
}

extension DownloadReach.Target {
  /// So many ids are in one call, whose line has a limit.
  private static let mostIDs = 100_000

  /// Those of one call, or of several for many tasks.
  fileprivate var parameters: [JSONObject] {
    var object = JSONObject()
    switch self {
    case .tasks(let ids):
      return stride(from: 0, to: ids.count, by: Self.mostIDs).map { start in
        var object = JSONObject()
        object.add("tasks", ids[start..<min(start + Self.mostIDs, ids.count)].map { DownloadTaskID($0).description })
        return object
      }
    case .group(let name): object.add("group", name)
    case .selection(let terms): object.add("select", terms.map(\.text))
    case .session: object.add("session", true)
    }
    return [object]
  }
}

extension QueuePosition {
  /// The text of a JSON value.
  var controlText: [UInt8] {
    var object = JSONObject()
    switch self {
    case .first: return JSONObject.quoted("first")
    case .last: return JSONObject.quoted("last")
    case .before(let task): object.add("before", task.id.description)
    case .after(let task): object.add("after", task.id.description)
    case .group(let name): object.add("group", name)
    }
    return object.text
  }
}

extension TaskChange {
  /// The method of the protocol.
  var method: ControlMethod {
    switch self {
    case .pause: .pause
    case .resume: .resume
    case .cancel: .cancel
    case .retry: .retry
    case .remove: .remove
    case .prioritize: .prioritize
    case .move: .move
    }
  }
}
