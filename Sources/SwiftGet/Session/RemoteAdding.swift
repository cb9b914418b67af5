internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport

/// Requests that are added to a session on which another process works.
extension SessionDriver {
  /// Adds requests, wherever the session is worked on.
  ///
  /// - Parameter here: adds them if this process works on the session.
  /// - Returns: a result for each request, in their order.
  func add(
    _ checked: [Result<CheckedRequest, DownloadError>], paused: Bool, pin: Int?,
    here: () async throws(DownloadError) -> [Result<AddedTask, DownloadError>]
  ) async throws(DownloadError) -> [Result<AddedTask, DownloadError>] {
    if remote == nil { return try await here() }
    var parameters = JSONObject()
    parameters.add(requests: checked.compactMap { try? $0.get().absolute })
    parameters.add("paused", paused)
    let results = try await obey(.add, parameters, { Self.results(of: checked, $0) }, here: here)
    let ids = results.compactMap { try? $0.get().id }
    if let pin { core.withLock { core in for id in ids { core.state.history.pin(id, by: pin) } } }
    await areKnown(ids)
    return results
  }

  /// What an answer says of each request.
  private static func results(
    of checked: [Result<CheckedRequest, DownloadError>], _ answer: JSONValue
  ) -> [Result<AddedTask, DownloadError>]? {
    guard var added = answer["added"]?.elements.map({ Array($0)[...] }) else { return nil }
    var failures: [Int64: DownloadError] = [:]
    for failure in answer["failures"]?.elements.map({ Array($0) }) ?? [] {
      if let index = failure["index"]?.integer { failures[index] = DownloadError(json: failure) }
    }
    var index: Int64 = -1
    return checked.map { entry in
      if case .failure(let error) = entry { return .failure(error) }
      index += 1
      if let failure = failures[index] { return .failure(failure) }
      guard let task = added.popFirst(), let id = task["id"]?.string.flatMap({ DownloadTaskID($0) }) else {
        return .failure(silent)
      }
      let kept = DownloadDifferences(names: task["kept"]?.elements?.compactMap(\.string) ?? [])
      return .success(
        AddedTask(
          id: id.number, isExisting: task["existing"]?.boolean ?? false,
          isRestarted: task["restarted"]?.boolean ?? false, kept: kept))
    }
  }

  /// Returns when the tasks are known. They are at once, unless this process was so slow that reports of them were left out.
  private func areKnown(_ ids: [TaskID]) async {
    let patience = Clock.now() + Self.longestAnswer.withLock { $0 }
    while core.withLock({ core in ids.contains { core.state.records.place(of: $0) == nil } }), !isEnding,
      Clock.now() < patience
    {
      await Self.pause(for: .milliseconds(5))
    }
  }
}

extension CheckedRequest {
  /// The request with an absolute target. A name that an answer may give is left to the other process.
  fileprivate var absolute: DownloadRequest {
    var request = request
    request.directory = String(decoding: directory, as: UTF8.self)
    if request.name != nil { request.name = String(decoding: name, as: UTF8.self) }
    return request
  }
}
