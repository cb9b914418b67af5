internal import DownloadCore
internal import DownloadFiles
internal import DownloadJSON
internal import DownloadStore

/// How far a task is or how it has ended, as the store has it.
extension TaskRecord {
  /// Nil if nothing is there of its file, or if it has settled.
  var storedProgress: StoredTask.Edit? {
    guard !isSettled, bytes > 0 else { return nil }
    var object = JSONObject()
    object.add("bytes_done", bytes)
    if let total { object.add("size", total) }
    return .progress(object.string, started: self.startedSince1970?.wholeMilliseconds)
  }

  /// Takes over what was there of its file when that was stored. It may be wrong until the task begins again.
  mutating func restore(progress: String) {
    guard let json = JSONValue(text: progress) else { return }
    bytes = json["bytes_done"]?.integer ?? 0
    total = json["size"]?.integer ?? total
  }

  /// - Parameter number: of the end; nil while the task is unsettled.
  func storedEnd(number: Int64) -> StoredTask.StoredEnd? {
    var object = JSONObject()
    let kind: StoredTask.StoredEnd.Kind
    switch phase {
    case .waiting, .running, .verifying: return nil
    case .succeeded(let file):
      kind = .succeeded
      object.add("size", file.size)
      if let verified = file.verified {
        object.add("checksum", verified.checksum.description)
        object.add("checksum_source", verified.source.rawValue)
      }
      object.add("kept", file.wasKept)
      if let placed = self.placed {
        object.add("device", String(placed.device))
        object.add("inode", String(placed.inode))
        if let modified = placed.modified { object.add("modified", modified.text) }
      }
    case .failed(let error):
      kind = .failed
      object.add("error", error.json)
      object.add("bytes_done", bytes)
      if let total { object.add("size", total) }
    case .cancelled: kind = .cancelled
    }
    if self.failedAttempts > 0 { object.add("retries", Int64(self.failedAttempts)) }
    if let head = self.head { object.add("head", head.json) }
    return StoredTask.StoredEnd(
      kind: kind, number: number, time: (self.endedSince1970 ?? .zero).wholeMilliseconds,
      outcome: String(decoding: object.text, as: UTF8.self))
  }

  /// Takes over what was stored.
  ///
  /// - Returns: false for what cannot be understood.
  mutating func restore(_ end: StoredTask.StoredEnd) -> Bool {
    guard let json = JSONValue(text: end.outcome) else { return false }
    self.endedSince1970 = .milliseconds(end.time)
    self.failedAttempts = json["retries"]?.integer.flatMap { Int(exactly: $0) } ?? 0
    self.head = json["head"].flatMap { ResponseHead(json: $0) }
    switch end.kind {
    case .succeeded:
      guard let size = json["size"]?.integer else { return false }
      let verified = StatedChecksum(json, "checksum", source: "checksum_source")
      phase = .succeeded(
        DownloadedFile(
          DownloadedFile.Fields(
            pathBytes: path, size: size, verified: verified, wasKept: json["kept"]?.boolean ?? false)))
      if let device = json["device"]?.string.flatMap({ UInt64($0) }),
        let inode = json["inode"]?.string.flatMap({ UInt64($0) })
      {
        self.placed = PlacedFile(
          device: device, inode: inode, size: size, modified: json["modified"]?.string.flatMap { FileTime($0) })
      }
      (bytes, total) = (size, size)
    case .failed:
      guard let error = json["error"].flatMap({ DownloadError(json: $0) }) else { return false }
      phase = .failed(error.about(DownloadTaskID(id)))
      bytes = json["bytes_done"]?.integer ?? 0
      total = json["size"]?.integer ?? total
    case .cancelled: phase = .cancelled
    }
    return true
  }
}

extension StatedChecksum {
  /// Nil if one of the members is missing.
  init?(_ json: JSONValue, _ text: StaticString, source: StaticString) {
    guard let text = json[text]?.string, let source = json[source]?.string.flatMap(Source.init) else { return nil }
    self.init(checksum: FileChecksum(text), source: source)
  }
}

extension ResponseHead {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("http_status", Int64(status))
    object.add("final_url", url)
    if let contentCoding { object.add("coding", contentCoding) }
    if let contentType { object.add("type", contentType) }
    if let contentLength { object.add("length", contentLength) }
    if let entityTag { object.add("etag", entityTag) }
    if let lastModifiedSince1970 { object.add("last_modified", lastModifiedSince1970.components.seconds) }
    return object
  }

  fileprivate init?(json: JSONValue) {
    guard let status = json["http_status"]?.integer.flatMap({ Int(exactly: $0) }), let url = json["final_url"]?.string
    else { return nil }
    self.init(
      status: status, url: url, contentCoding: json["coding"]?.string, contentType: json["type"]?.string,
      contentLength: json["length"]?.integer,
      entityTag: json["etag"]?.string, lastModifiedSince1970: json["last_modified"]?.integer.map { .seconds($0) })
  }
}

extension FileTime {
  fileprivate var text: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  fileprivate init?(_ text: String) { self.init(Array(text.utf8)[...]) }
}
