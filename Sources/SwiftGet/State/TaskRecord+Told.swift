internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords

/// A task as the process that works on its session reports it.
extension TaskRecord {
  /// Nil for what is no task.
  ///
  /// - Parameters:
  ///   - groups: gets the task's group if it is new.
  ///   - directory: of the task before, whose bytes this one shares if it is the same.
  init?(told json: JSONValue, _ groups: inout GroupTable, sharing directory: inout [UInt8]) {
    guard let id = json["id"]?.string.flatMap({ DownloadTaskID($0) }), let number = json["number"]?.integer,
      let path = json.bytes("path", hexadecimal: "path_bytes"), let slash = path.lastIndex(of: UInt8(ascii: "/")),
      let group = groups.id(of: json["group"]?.string ?? GroupTable.main)
    else { return nil }
    var request = DownloadRequest("")
    request.urls = json["urls"]?.elements?.compactMap(\.string) ?? []
    request.checksums = json["checksums"]?.elements?.compactMap { $0.string.map { FileChecksum($0) } } ?? []
    request.key = json["key"]?.string
    request.headers = json["headers"]?.headerFields ?? []
    request.info = json["info"]?.info ?? [:]
    let own = path[...slash]
    if !own.elementsEqual(directory) { directory = Array(own) }
    self.init(
      id: id.number, number: Int(clamping: number), request, directory: directory, name: Array(path[(slash + 1)...]),
      isNamedByAnswer: json["named_by_answer"]?.boolean ?? false,
      settings: json["settings"].flatMap { DownloadSettings(json: $0) } ?? DownloadSettings(),
      priority: Int(clamping: json["priority"]?.integer ?? 0), group: group)
    bytes = json["bytes_done"]?.integer ?? 0
    total = json["size"]?.integer
    self.rate = json["rate"]?.integer ?? 0
    self.connections = Int(clamping: json["connections"]?.integer ?? 0)
    self.isResumable = json["resumable"]?.boolean ?? true
    self.failedAttempts = Int(clamping: json["retries"]?.integer ?? 0)
    self.lastError = json["last_error"]?.string
    self.waitEndSince1970 = json["waits_until"]?.time
    self.startedSince1970 = json["started"]?.time
    self.endedSince1970 = json["ended"]?.time
    self.head = ResponseHead(told: json)
    isPaused = json["paused_by"]?.elements?.contains { $0.string == "task" } ?? false
    switch json["state"]?.string.flatMap({ DownloadTaskState.Kind(rawValue: $0) }) {
    case .waiting?: phase = .waiting(json["waits_for"]?.string.flatMap { DownloadTaskWait(text: $0) } ?? .slot)
    case .paused?: phase = .waiting(.slot)
    case .running?: phase = .running
    case .verifying?: phase = .verifying
    case .succeeded?: phase = .succeeded(DownloadedFile(told: json, path))
    case .failed?:
      guard let error = json["error"].flatMap({ DownloadError(json: $0) }) else { return nil }
      phase = .failed(error.about(id))
    case .cancelled?: phase = .cancelled
    case .removed?, nil: return nil
    }
  }

  /// Whether nothing but bytes, size and rate differ from those of the task as it was.
  func isOnlyFurther(than known: TaskRecord) -> Bool {
    phase == known.phase && isPaused == known.isPaused && priority == known.priority && group == known.group
      && settings == known.settings && packed == known.packed && directory == known.directory
      && self.isResumable == known.isResumable && self.failedAttempts == known.failedAttempts
      && self.lastError == known.lastError
      && self.waitEndSince1970 == known.waitEndSince1970
  }
}

extension DownloadedFile {
  fileprivate init(told json: JSONValue, _ path: [UInt8]) {
    let verified = StatedChecksum(json, "digest", source: "digest_source")
    self.init(
      Fields(
        pathBytes: path, size: json["bytes_done"]?.integer ?? 0, verified: verified,
        wasKept: json["kept"]?.boolean ?? false))
  }
}

extension ResponseHead {
  fileprivate init?(told json: JSONValue) {
    guard let status = json["http_status"]?.integer.flatMap({ Int(exactly: $0) }), let url = json["final_url"]?.string
    else { return nil }
    self.init(
      status: status, url: url, contentCoding: json["content_encoding"]?.string,
      contentType: json["content_type"]?.string,
      contentLength: json["content_length"]?.integer, entityTag: json["etag"]?.string,
      lastModifiedSince1970: json["last_modified"]?.time)
  }
}

extension DownloadTaskWait {
  /// - Parameter text: a `description`; nil for anything else.
  init?(text: String) {
    let plain: [DownloadTaskWait] = [
      .slot, .worker, .checking, .host, .retry, .busyTarget(process: nil), .network, .diskFull,
    ]
    if let found = plain.first(where: { $0.description == text }) {
      self = found
    } else if let process = text.rest(after: DownloadTaskWait.busyTarget(process: nil).description + ", PID ") {
      self = .busyTarget(process: Int32(process))
    } else if let what = text.rest(after: DownloadTaskWait.credentials("").description) {
      self = .credentials(what)
    } else if let name = text.rest(after: DownloadTaskWait.policy("").description) {
      self = .policy(name)
    } else {
      return nil
    }
  }
}

extension String {
  /// What follows a beginning; nil for a text that does not begin so.
  fileprivate func rest(after start: String) -> String? { hasPrefix(start) ? String(dropFirst(start.count)) : nil }
}

extension JSONValue {
  /// A text of bytes, which has a second member with their hexadecimal digits if they are not UTF-8.
  func bytes(_ name: StaticString, hexadecimal: StaticString) -> [UInt8]? {
    if let digits = self[hexadecimal]?.text { return Hexadecimal.bytes(digits, byteCount: digits.count / 2) }
    return self[name]?.text
  }

  /// Since 1970.
  fileprivate var time: Duration? { string.flatMap { Timestamp.milliseconds(of: $0) }.map { .milliseconds($0) } }
}
