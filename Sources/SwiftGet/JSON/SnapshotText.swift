internal import DownloadCore
internal import DownloadWords

/// What other processes hear of tasks, in the words of events and reports.
extension DownloadTaskSnapshot {
  var json: JSONObject { json(nil) }

  /// - Parameter fields: the names of the members that are wanted; nil is all.
  func json(_ fields: Set<String>?) -> JSONObject {
    var object = JSONObject()
    func add(_ name: String, _ body: (String) -> Void) { if fields?.contains(name) ?? true { body(name) } }
    add("id") { object.add($0, id.description) }
    add("number") { object.add($0, Int64(number)) }
    add("state") { object.add($0, state.kind.rawValue) }
    switch state {
    case .waiting(let wait): add("waits_for") { object.add($0, wait.description) }
    case .paused(let flags): add("paused_by") { object.add($0, flags.names) }
    case .failed(let error): add("error") { object.add($0, error.json) }
    case .succeeded(let file):
      if let verified = file.verified {
        add("digest") { object.add($0, verified.checksum.description) }
        add("digest_source") { object.add($0, verified.source.rawValue) }
      }
      add("kept") { object.add($0, file.wasKept) }
    case .running, .verifying, .cancelled, .removed: break
    }
    add("path") { object.add(bytes: pathBytes, as: $0) }
    add("urls") { object.add($0, urls.map(StoredURL.withoutUserinfo)) }
    add("bytes_done") { object.add($0, progress.bytes) }
    add("size") { object.add($0, progress.totalBytes) }
    if let rate = progress.bytesPerSecond { add("rate") { object.add($0, rate) } }
    if connections > 0 { add("connections") { object.add($0, Int64(connections)) } }
    add("group") { object.add($0, group) }
    add("priority") { object.add($0, Int64(priority)) }
    add("key") { name in if let key { object.add(name, key) } }
    add("info") { name in
      let info = info
      if info.isEmpty { return }
      var values = JSONObject()
      for (name, value) in info.sorted(by: { $0.key < $1.key }) { values.add(name, value) }
      object.add(name, values)
    }
    add("headers") { name in
      let headers = headers
      if !headers.isEmpty { object.add(name, JSONObject(fields: headers)) }
    }
    add("checksums") { name in
      let checksums = checksums
      if !checksums.isEmpty { object.add(name, checksums.map(\.description)) }
    }
    if settings != DownloadSettings() { add("settings") { object.add($0, settings.json) } }
    if let startedSince1970 { add("started") { object.add($0, startedSince1970.timestamp) } }
    if let endedSince1970 { add("ended") { object.add($0, endedSince1970.timestamp) } }
    if let head {
      add("http_status") { object.add($0, Int64(head.status)) }
      add("final_url") { object.add($0, head.url) }
      if let coding = head.contentCoding { add("content_encoding") { object.add($0, coding) } }
      if let length = head.contentLength { add("content_length") { object.add($0, length) } }
      if let tag = head.entityTag { add("etag") { object.add($0, tag) } }
      if let time = head.lastModifiedSince1970 { add("last_modified") { object.add($0, time.timestamp) } }
    }
    add("retries") { object.add($0, Int64(failedAttempts)) }
    add("resumable") { object.add($0, isResumable) }
    return object
  }
}

extension DownloadTotals {
  var json: JSONObject {
    var object = JSONObject()
    object.add("activity", "\(activity)")
    object.add("files", Int64(files))
    var states = JSONObject()
    for kind in DownloadTaskState.Kind.allCases {
      if let count = counts[kind], count > 0 { states.add(kind.rawValue, Int64(count)) }
    }
    object.add("states", states)
    object.add("bytes_done", progress.bytes)
    object.add("size", progress.totalBytes)
    if let rate = progress.bytesPerSecond { object.add("rate", rate) }
    object.add("last_end", lastEnd)
    return object
  }
}

extension Duration {
  /// Since 1970, as RFC 3339 writes it.
  fileprivate var timestamp: String { Timestamp.text(milliseconds: wholeMilliseconds) }
}
