package import DownloadCore

/// How files are fetched. All fields are optional: nil leaves the decision to the next level, which is the group, then the
/// session, then the usual value.
///
/// `set` begins with an empty value and changes only what its closure assigns. An assigned nil gives the decision back to
/// the next level.
public struct DownloadSettings: Hashable, Sendable {
  /// Nil is not assigned, `.some(nil)` given back to the next level.
  package struct Fields: Hashable, Sendable {
    package var connections: Int??
    package var bytesPerSecond: Int64??
    package var tries: Int??
    package var stallTimeout: Duration??
    package var connectTimeout: Duration??
    package var maxTime: Duration??
    package var headers: [HeaderField]??
    package var credential: DownloadCredential??
    package var userAgent: String??
    package var proxy: String??
    package var interface: String??
    package var acceptedStatuses: Set<Int>??
    package var ifExists: IfExists??
    /// Whether the server is asked for a newer version of an existing file, which replaces that (`--timestamping`).
    package var timestamping: Bool??
    /// Permission bits that a new file does not have, 0 to 0o777; without it the umask of the process that works on the
    /// session counts.
    package var umask: UInt32??
    /// What judges the file before it gets its name (`--verify-command`).
    package var verifyCommand: VerifyCommand??
    /// Runs after the file has its name (`--on-complete`), if a process of the command works on the session.
    package var onComplete: PlacedCommand??
    /// Runs after the file has failed (`--on-failure`), like `onComplete`.
    package var onFailure: PlacedCommand??
    package var nameSource: TargetSettings.NameSource??
    package var url: String??
    package var checksum: FileChecksum??
    package var name: String??
  }

  private var boxed: Boxed<Fields>?

  package var fields: Fields {
    get { boxed?.value ?? Fields() }
    set { boxed = newValue == Fields() ? nil : Boxed(newValue) }
  }

  /// Settings that decide nothing.
  public init() {}

  /// Connections for one file, 1 to 64.
  public var connections: Int? {
    get { fields.connections ?? nil }
    set { fields.connections = .some(newValue) }
  }

  /// The limit for each file, above 0.
  public var bytesPerSecond: Int64? {
    get { fields.bytesPerSecond ?? nil }
    set { fields.bytesPerSecond = .some(newValue) }
  }

  /// Consecutive attempts without progress before a file fails, at least 1. Without it there are 5, and a named session waits
  /// 24 hours for hosts that cannot be reached or have trouble.
  public var tries: Int? {
    get { fields.tries ?? nil }
    set { fields.tries = .some(newValue) }
  }

  /// After so long without data a connection counts as stalled, above 0.
  public var stallTimeout: Duration? {
    get { fields.stallTimeout ?? nil }
    set { fields.stallTimeout = .some(newValue) }
  }

  /// How long a connection may take to come about, above 0.
  public var connectTimeout: Duration? {
    get { fields.connectTimeout ?? nil }
    set { fields.connectTimeout = .some(newValue) }
  }

  /// The longest time for one file, above 0. Time in the queue does not count.
  public var maxTime: Duration? {
    get { fields.maxTime ?? nil }
    set { fields.maxTime = .some(newValue) }
  }

  /// Header fields in place of those of the request. They go to the origins of the request's own URLs only.
  public var headers: [HeaderField]? {
    get { fields.headers ?? nil }
    set { fields.headers = .some(newValue) }
  }

  /// Who logs in, in place of the request's credential.
  public var credential: DownloadCredential? {
    get { fields.credential ?? nil }
    set { fields.credential = .some(newValue) }
  }

  /// The value of `User-Agent`.
  public var userAgent: String? {
    get { fields.userAgent ?? nil }
    set { fields.userAgent = .some(newValue) }
  }

  /// The proxy's URL, or host and port.
  public var proxy: String? {
    get { fields.proxy ?? nil }
    set { fields.proxy = .some(newValue) }
  }

  /// The network interface to connect from, by its name or one of its IP addresses.
  public var interface: String? {
    get { fields.interface ?? nil }
    set { fields.interface = .some(newValue) }
  }

  /// Statuses besides 200 and 203 whose body is the whole file: from 200 to 299, except 204, 205 and 206.
  public var acceptedStatuses: Set<Int>? {
    get { fields.acceptedStatuses ?? nil }
    set { fields.acceptedStatuses = .some(newValue) }
  }

  /// What is done with a file that has the target's name. Of the session it is what its configuration says.
  public var ifExists: IfExists? {
    get { fields.ifExists ?? nil }
    set { fields.ifExists = .some(newValue) }
  }

  /// What names a file whose request names none (`--name-from`).
  package var nameSource: TargetSettings.NameSource? {
    get { fields.nameSource ?? nil }
    set { fields.nameSource = .some(newValue) }
  }

  /// Another URL for the file, in place of the request's first one; for one task only. What is there of the file goes on
  /// from the new URL if it is the same version, else it begins anew.
  public var url: String? {
    get { fields.url ?? nil }
    set { fields.url = .some(newValue) }
  }

  /// The checksum that the file must have, in place of those of the request; for one task only. It is judged at the end. Of
  /// a task that has succeeded the file is hashed at once, and fetched anew if it is wrong. An assigned nil means that no
  /// checksum is expected any more.
  public var checksum: FileChecksum? {
    get { fields.checksum ?? nil }
    set { fields.checksum = .some(newValue) }
  }

  /// Another name for the file, below the directory of its request; for `set` of one task only. The finished file, or what is
  /// stored of an unfinished one, is renamed within its file system, and never over another file. Refused while the task
  /// runs: pause it before.
  public var name: String? {
    get { fields.name ?? nil }
    set { fields.name = .some(newValue) }
  }

  /// Takes over what the change assigns.
  mutating func apply(_ change: DownloadSettings) {
    var (own, new) = (fields, change.fields)
    func take<Value>(_ field: WritableKeyPath<Fields, Value??>) {
      if let value = new[keyPath: field] { own[keyPath: field] = value == nil ? .none : .some(value) }
    }
    take(\.connections)
    take(\.bytesPerSecond)
    take(\.tries)
    take(\.stallTimeout)
    take(\.connectTimeout)
    take(\.maxTime)
    take(\.headers)
    take(\.credential)
    take(\.userAgent)
    take(\.proxy)
    take(\.interface)
    take(\.acceptedStatuses)
    take(\.ifExists)
    take(\.timestamping)
    take(\.umask)
    take(\.verifyCommand)
    take(\.onComplete)
    take(\.onFailure)
    take(\.nameSource)
    take(\.url)
    new = own
    fields = new
  }
}
