internal import DownloadCore

/// What tasks are selected by.
public enum DownloadSelector: Hashable, Sendable {
  /// By its id.
  case id(DownloadTaskID)
  /// By its short number.
  case number(Int)
  /// By the caller's own key.
  case key(String)
  /// By one of its URLs, as it was given.
  case url(String)
  /// By the host of a URL, with any port, or with the port that follows a colon.
  case host(String)
  /// By the absolute path of its target.
  case path(String)
  /// By a pattern of fnmatch(3) for the name of its target, or for the absolute path if it contains a slash. There `**`
  /// stands for any number of directories.
  case glob(String)
  /// By its state.
  case state(DownloadTaskState.Kind)
  /// Those that have failed with such an error.
  case error(DownloadError.Code)
  /// By the name of its group.
  case group(String)
  /// All tasks.
  case all

  /// - Parameter text: `@all`, or `id:`, `number:`, `key:`, `url:`, `host:`, `path:`, `glob:`, `state:`, `error:` or
  ///   `group:` with what belongs to it.
  /// - Throws: `invalidValue` for anything else.
  public init(_ text: String) throws(DownloadError) {
    if text == "@all" {
      self = .all
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (kind, value) = (parts[0], parts.count == 2 ? parts[1] : "")
    let selector: DownloadSelector? =
      switch kind {
      case "id": DownloadTaskID(value).map { .id($0) }
      case "number": Int(value).flatMap { $0 > 0 ? .number($0) : nil }
      case "key": .key(value)
      case "url": .url(value)
      case "host": .host(value)
      case "path": .path(value)
      case "glob": .glob(value)
      case "state": DownloadTaskState.Kind(rawValue: value).map { .state($0) }
      case "error": (DownloadError.Code(rawValue: value) ?? DownloadError.Code(name: value)).map { .error($0) }
      case "group": .group(value)
      default: nil
      }
    guard let selector, !value.isEmpty else {
      throw DownloadError(.invalidValue, "'\(text)' selects nothing: it is @all or a kind, a colon and a value")
    }
    self = selector
  }

  /// The text that makes it again.
  package var text: String {
    switch self {
    case .id(let id): "id:\(id)"
    case .number(let number): "number:\(number)"
    case .key(let key): "key:" + key
    case .url(let url): "url:" + url
    case .host(let host): "host:" + host
    case .path(let path): "path:" + path
    case .glob(let pattern): "glob:" + pattern
    case .state(let kind): "state:" + kind.rawValue
    case .error(let code): "error:" + code.name
    case .group(let name): "group:" + name
    case .all: "@all"
    }
  }

  /// Terms of one kind are alternatives. Id and number are one kind, and so are path and pattern.
  enum Kind: CaseIterable { case task, key, url, host, path, state, error, group, all }

  var kind: Kind {
    switch self {
    case .id, .number: .task
    case .key: .key
    case .url: .url
    case .host: .host
    case .path, .glob: .path
    case .state: .state
    case .error: .error
    case .group: .group
    case .all: .all
    }
  }

  /// Whether it names something that a session has or has not. States and errors are true of some tasks or of none.
  var isName: Bool {
    switch self {
    case .state, .error, .all: false
    case .id, .number, .key, .url, .host, .path, .glob, .group: true
    }
  }
}
