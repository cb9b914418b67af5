internal import DownloadCore

/// One wanted file: where it comes from, where it goes, and what is known about it.
///
/// A request is a value and does nothing by itself. A bad URL, name or checksum is an error when the request is added.
public struct DownloadRequest: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var urls: [String]
    var directory: String?
    var name: String?
    var checksums: [FileChecksum] = []
    var expectedSize: Int64?
    var headers: [HeaderField] = []
    var credential: DownloadCredential?
    var group: String?
    var priority = 0
    var key: String?
    var info: [String: String] = [:]
    var settings = DownloadSettings()
    var listed = ListedFacts()
  }

  /// What only a list says of a file.
  struct ListedFacts: Hashable, Sendable {
    /// The name in raw bytes; nil if `name` has it.
    var name: [UInt8]?
    var pieces: PieceHashes?
    /// Whether header fields and credentials go to no server, because something on the way may have written the entry.
    var isUntrusted = false
  }

  private var fields: Boxed<Fields>

  /// - Parameters:
  ///   - url: http or https. A checksum behind `#`, such as `#sha256=HEX`, is used; other fragments are dropped.
  ///   - directory: where the file goes; nil is the session's directory. Missing directories are made.
  ///   - name: of the file, which may have directories before it; nil is the last segment of the URL's path.
  ///   - checksum: of the whole file.
  ///   - key: the caller's own name for the task, unique in its session, 1 to 255 bytes.
  ///   - group: the group to which the task belongs; nil is `main`.
  public init(
    _ url: String, into directory: String? = nil, name: String? = nil, checksum: FileChecksum? = nil,
    key: String? = nil, group: String? = nil
  ) {
    var fields = Fields(urls: [url], directory: directory, name: name)
    if let checksum { fields.checksums = [checksum] }
    fields.key = key
    fields.group = group
    self.fields = Boxed(fields)
  }

  /// The original URL, which identifies the download, then mirrors of the same file.
  public var urls: [String] {
    get { fields.value.urls }
    set { fields.value.urls = newValue }
  }

  /// Where the file goes. A relative path starts at the working directory at the time of the add; nil is the session's
  /// directory.
  public var directory: String? {
    get { fields.value.directory }
    set { fields.value.directory = newValue }
  }

  /// The file's name in the directory, which may have directories before it; nil is the last segment of the URL's path, or
  /// what `DownloadPolicy.name` says.
  public var name: String? {
    get { fields.value.name }
    set {
      fields.value.name = newValue
      fields.value.listed.name = nil
    }
  }

  var listed: ListedFacts {
    get { fields.value.listed }
    set { fields.value.listed = newValue }
  }

  /// Checksums of the whole file. All must match before the file gets its name.
  public var checksums: [FileChecksum] {
    get { fields.value.checksums }
    set { fields.value.checksums = newValue }
  }

  /// The size of the file in bytes, at least 0, where it is known; a file of another size is refused.
  public var expectedSize: Int64? {
    get { fields.value.expectedSize }
    set { fields.value.expectedSize = newValue }
  }

  /// Header fields for the origins of `urls`. Redirects take them to no other origin.
  public var headers: [HeaderField] {
    get { fields.value.headers }
    set { fields.value.headers = newValue }
  }

  /// Who logs in at the origins of `urls`.
  public var credential: DownloadCredential? {
    get { fields.value.credential }
    set { fields.value.credential = newValue }
  }

  /// What is done with a file that has the target's name; nil is what group and session say. It is a part of `settings`.
  public var ifExists: IfExists? {
    get { fields.value.settings.ifExists }
    set { fields.value.settings.ifExists = newValue }
  }

  /// The group of the task, 1 to 255 bytes; nil is `main`.
  public var group: String? {
    get { fields.value.group }
    set { fields.value.group = newValue }
  }

  /// Of waiting tasks the one with the highest priority begins first, then the one that was added first. -100 to 100.
  public var priority: Int {
    get { fields.value.priority }
    set { fields.value.priority = newValue }
  }

  /// The caller's own name for the task, unique in its session, 1 to 255 bytes.
  public var key: String? {
    get { fields.value.key }
    set { fields.value.key = newValue }
  }

  /// The caller's own data, which stand in every snapshot of the task. At most 4,096 bytes of names and values.
  public var info: [String: String] {
    get { fields.value.info }
    set { fields.value.info = newValue }
  }

  /// What differs for this file from the settings of group and session.
  public var settings: DownloadSettings {
    get { fields.value.settings }
    set { fields.value.settings = newValue }
  }
}
