extension DownloadSession {
  /// Adds the files of a list, as `add` with requests does. Entries that are wrong stand in `AddedList.failures`.
  ///
  /// - Parameters:
  ///   - list: the list, which is read once.
  ///   - paused: whether the tasks are paused by themselves until they are resumed.
  /// - Throws: `invalidRequest` if there is no such list, or it is none; `localIO` if it cannot be read; `sessionClosed`.
  public func add(_ list: DownloadList, paused: Bool = false) async throws(DownloadError) -> AddedList {
    let base = try driver.directory.get().path
    let contents = try await list.contents(base: base)
    let added = try await add(contents.requests, paused: paused)
    let refused = added.failures.map {
      AddedList.Failure(index: contents.places[$0.index], request: $0.request, error: $0.error)
    }
    let wrong = contents.failures.map { AddedList.Failure(index: $0.index, request: nil, error: $0.error) }
    return AddedList(
      session: self, ids: added.ids, pin: added.pin, failures: (refused + wrong).sorted { $0.index < $1.index })
  }
}

extension DownloadList {
  @concurrent fileprivate func contents(base: [UInt8]) async throws(DownloadError) -> Contents { try read(base: base) }
}
