/// What is known of a task at one moment.
public struct DownloadTaskSnapshot: Hashable, Sendable, Identifiable, CustomStringConvertible {
  struct Fields: Hashable, Sendable {
    var id: DownloadTaskID
    var number: Int
    var state: DownloadTaskState
    var progress: DownloadProgress
    /// Unpacked by those who ask for a part of it.
    var packed: PackedRequest
    var pathBytes: [UInt8]
    var group: String
    var priority: Int
    var settings: DownloadSettings
    var startedSince1970: Duration?
    var endedSince1970: Duration?
    var head: ResponseHead?
    var failedAttempts: Int
    var lastError: String?
    var waitEndSince1970: Duration?
    var isResumable: Bool
    var connections = 0
  }

  private let fields: Boxed<Fields>

  init(_ fields: Fields) { self.fields = Boxed(fields) }

  /// Identifies the task for life.
  public var id: DownloadTaskID { fields.value.id }
  /// A short number for people, from 1, which no other task of the session has.
  public var number: Int { fields.value.number }
  /// What the task does, or how it has ended.
  public var state: DownloadTaskState { fields.value.state }
  /// How far the file is.
  public var progress: DownloadProgress { fields.value.progress }
  /// The original URL, then mirrors.
  public var urls: [String] {
    var urls = fields.value.packed.urls
    if let url = fields.value.settings.url, !urls.isEmpty { urls[0] = url }
    return urls
  }
  /// Absolute. What is not UTF-8 in it is replaced; `pathBytes` is exact.
  public var path: String { String(decoding: pathBytes, as: UTF8.self) }
  /// Absolute, as the file system has it.
  public var pathBytes: [UInt8] { fields.value.pathBytes }
  /// The last component of the path.
  public var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }
  /// What follows the last dot of the name, without it; empty if there is none.
  public var fileExtension: String {
    let name = fileName
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return String(name[name.index(after: dot)...])
  }
  /// Whether an answer is still to name the file.
  var isNamedByAnswer: Bool { fields.value.packed.isNamedByAnswer }
  /// The name of its group.
  public var group: String { fields.value.group }
  /// In -100...100.
  public var priority: Int { fields.value.priority }
  /// The caller's own name for it.
  public var key: String? { fields.value.packed.key }
  /// Header fields of the request that are no secrets.
  var headers: [HeaderField] { fields.value.packed.request.headers.filter { !$0.isSecret } }
  /// The caller's own data.
  public var info: [String: String] { fields.value.packed.request.info }
  /// What differs for it from the settings of group and session.
  public var settings: DownloadSettings { fields.value.settings }
  /// The checksums that the file must have.
  public var checksums: [FileChecksum] { fields.value.packed.request.checksums }
  /// When it began for the first time; nil if it has not.
  public var startedSince1970: Duration? { fields.value.startedSince1970 }
  /// When it settled; nil while it is unsettled.
  public var endedSince1970: Duration? { fields.value.endedSince1970 }
  /// What the last answer said of the file, when the task had settled; nil before, and without an answer.
  public var head: ResponseHead? { fields.value.head }
  /// Whether what is there of the file can be gone on with. It is false while a server tells versions of the file apart by
  /// nothing, so that a pause loses the bytes; before the first answer it is true.
  public var isResumable: Bool { fields.value.isResumable }
  /// Transfers that bring it now.
  var connections: Int { fields.value.connections }
  /// Attempts that have failed and are made up for by another one.
  public var failedAttempts: Int { fields.value.failedAttempts }
  /// Why its last attempt failed, while it waits for the next one.
  public var lastError: String? { fields.value.lastError }
  /// When it goes on, while it waits for a time that is known.
  public var waitEndSince1970: Duration? { fields.value.waitEndSince1970 }

  /// `#3 running: /data/model, 1.2 GB of 4.5 GB`.
  public var description: String { "#\(number) \(state): \(path), \(progress)" }
}

/// What a server's last answer said of a file.
public struct ResponseHead: Hashable, Sendable {
  /// The HTTP status.
  public internal(set) var status: Int
  /// The URL that answered, after redirects, without its query.
  public internal(set) var url: String
  /// `Content-Encoding` in lower case; nil for none.
  public internal(set) var contentCoding: String?
  /// `Content-Type` in lower case, without parameters; nil without one.
  public internal(set) var contentType: String?
  /// Bytes of the body; nil if the head does not tell.
  public internal(set) var contentLength: Int64?
  /// The entity tag as the server writes it; nil without one.
  public internal(set) var entityTag: String?
  /// `Last-Modified`; nil without one.
  public internal(set) var lastModifiedSince1970: Duration?
}
