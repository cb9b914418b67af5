internal import DownloadCore
internal import DownloadWords

/// A member of the object that other processes get of a task, in the words of events and reports.
package struct TaskMember: Sendable {
  package let name: String
  /// Adds the member under its name, if the task has a value for it.
  private let body: @Sendable (DownloadTaskSnapshot, String, inout JSONObject) -> Void

  private init(
    _ name: String, _ body: @escaping @Sendable (DownloadTaskSnapshot, String, inout JSONObject) -> Void
  ) { (self.name, self.body) = (name, body) }

  func add(of task: DownloadTaskSnapshot, to object: inout JSONObject) { body(task, name, &object) }

  /// What no task has.
  static let unknown = TaskMember("") { _, _, _ in }

  static func named(_ name: String) -> TaskMember { all.first { $0.name == name } ?? unknown }

  /// In the order in which objects have them.
  package static let all = [
    TaskMember("id") { $2.add($1, $0.id.description) },
    TaskMember("number") { $2.add($1, Int64($0.number)) },
    TaskMember("state") { $2.add($1, $0.state.kind.rawValue) },
    TaskMember("waits_for") { if case .waiting(let wait) = $0.state { $2.add($1, wait.description) } },
    TaskMember("waits_until") { if let time = $0.waitEndSince1970 { $2.add($1, time.timestamp) } },
    TaskMember("last_error") { if let error = $0.lastError { $2.add($1, error) } },
    TaskMember("paused_by") { if case .paused(let flags) = $0.state { $2.add($1, flags.names) } },
    TaskMember("error") { if case .failed(let error) = $0.state { $2.add($1, error.json) } },
    TaskMember("digest") { if let verified = $0.verified { $2.add($1, verified.checksum.description) } },
    TaskMember("digest_source") { if let verified = $0.verified { $2.add($1, verified.source.rawValue) } },
    TaskMember("kept") { if case .succeeded(let file) = $0.state { $2.add($1, file.wasKept) } },
    TaskMember("path") { $2.add(bytes: $0.pathBytes, as: $1) },
    TaskMember("named_by_answer") { if $0.isNamedByAnswer { $2.add($1, true) } },
    TaskMember("urls") { $2.add($1, $0.urls.map(StoredURL.withoutUserinfo)) },
    TaskMember("bytes_done") { $2.add($1, $0.progress.bytes) },
    TaskMember("size") { $2.add($1, $0.progress.totalBytes) },
    TaskMember("rate") { if let rate = $0.progress.bytesPerSecond { $2.add($1, rate) } },
    TaskMember("connections") { if $0.connections > 0 { $2.add($1, Int64($0.connections)) } },
    TaskMember("group") { $2.add($1, $0.group) },
    TaskMember("priority") { $2.add($1, Int64($0.priority)) },
    TaskMember("key") { if let key = $0.key { $2.add($1, key) } },
    TaskMember("info") {
      let info = $0.info
      if !info.isEmpty { $2.add($1, JSONObject(info: info)) }
    },
    TaskMember("headers") {
      let headers = $0.headers
      if !headers.isEmpty { $2.add($1, JSONObject(fields: headers)) }
    },
    TaskMember("checksums") {
      let checksums = $0.checksums
      if !checksums.isEmpty { $2.add($1, checksums.map(\.description)) }
    },
    TaskMember("settings") { if $0.settings != DownloadSettings() { $2.add($1, $0.settings.json) } },
    TaskMember("started") { if let time = $0.startedSince1970 { $2.add($1, time.timestamp) } },
    TaskMember("ended") { if let time = $0.endedSince1970 { $2.add($1, time.timestamp) } },
    TaskMember("http_status") { if let head = $0.head { $2.add($1, Int64(head.status)) } },
    TaskMember("final_url") { if let head = $0.head { $2.add($1, head.url) } },
    TaskMember("content_encoding") { if let coding = $0.head?.contentCoding { $2.add($1, coding) } },
    TaskMember("content_type") { if let type = $0.head?.contentType { $2.add($1, type) } },
    TaskMember("content_length") { if let length = $0.head?.contentLength { $2.add($1, length) } },
    TaskMember("etag") { if let tag = $0.head?.entityTag { $2.add($1, tag) } },
    TaskMember("last_modified") { if let time = $0.head?.lastModifiedSince1970 { $2.add($1, time.timestamp) } },
    TaskMember("retries") { $2.add($1, Int64($0.failedAttempts)) },
    TaskMember("resumable") { $2.add($1, $0.isResumable) },
  ]
}

extension DownloadTaskSnapshot {
  var json: JSONObject { json(TaskMember.all) }

  /// - Parameter members: those that are wanted.
  func json(_ members: [TaskMember]) -> JSONObject {
    var object = JSONObject()
    for member in members { member.add(of: self, to: &object) }
    return object
  }

  /// The values of members as an array, with null for what the task does not have.
  func row(_ members: [TaskMember]) -> JSONObject {
    var row = JSONObject(isArray: true)
    for (index, member) in members.enumerated() {
      member.add(of: self, to: &row)
      if row.count == index { row.add(member.name, String?.none) }
    }
    return row
  }

  fileprivate var verified: StatedChecksum? { if case .succeeded(let file) = state { file.verified } else { nil } }
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
