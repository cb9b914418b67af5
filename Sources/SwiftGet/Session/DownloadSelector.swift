internal import DownloadCore
internal import DownloadTransport

/// What tasks are selected by.
public enum DownloadSelector: Hashable, Sendable {
  /// By its id.
  case id(DownloadTask.ID)
  /// By the caller's own key.
  case key(String)
  /// By one of its URLs, as it was given.
  case url(String)
  /// By the host of a URL, with any port.
  case host(String)
  /// By the absolute path of its target.
  case path(String)
  /// By its state.
  case state(DownloadTask.State.Kind)
  /// Those that have failed with such an error.
  case error(DownloadError.Code)
  /// By the name of its group.
  case group(String)
  /// All tasks.
  case all

  /// - Parameter text: `@all`, `id:`, `key:`, `url:`, `host:`, `path:`, `state:`, `error:` or `group:` with what belongs to
  ///   it.
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
      case "id": DownloadTask.ID(value).map { .id($0) }
      case "key": .key(value)
      case "url": .url(value)
      case "host": .host(value)
      case "path": .path(value)
      case "state": DownloadTask.State.Kind(rawValue: value).map { .state($0) }
      case "error": DownloadError.Code(rawValue: value).map { .error($0) }
      case "group": .group(value)
      default: nil
      }
    guard let selector, !value.isEmpty else {
      throw DownloadError(.invalidValue, "'\(text)' selects nothing: it is @all or a kind, a colon and a value")
    }
    self = selector
  }

  /// Terms of one kind are alternatives.
  var kind: Int {
    switch self {
    case .id: 0
    case .key: 1
    case .url: 2
    case .host: 3
    case .path: 4
    case .state: 5
    case .error: 6
    case .group: 7
    case .all: 8
    }
  }

  func matches(_ record: TaskRecord, _ state: SessionState) -> Bool {
    switch self {
    case .id(let id): record.id == id.number
    case .key(let key): record.request.key == key
    case .url(let url): record.request.urls.contains(url) || record.settings.url == url
    case .host(let host):
      (record.request.urls + [record.settings.url].compactMap(\.self)).contains {
        Self.host(of: $0) == host.lowercased()
      }
    case .path(let path): record.path.elementsEqual(path.utf8)
    case .state(let kind): record.kind(state.flags(of: record.group)) == kind
    case .error(let code): if case .failed(let error) = record.phase { error.code == code } else { false }
    case .group(let name): state.groups[record.group].name == name
    case .all: true
    }
  }

  private static func host(of url: String) -> String? { (try? URLParser.parse(url.utf8))?.location.host }
}

/// Tasks by what they are. Each command looks anew which ones these are, in one step; so does each wait, once.
public struct DownloadSelection: DownloadScope {
  /// The session.
  public let session: DownloadSession
  /// What selects the tasks.
  public let terms: [DownloadSelector]

  /// The tasks that are selected when the command is given.
  public var reach: DownloadReach { DownloadReach(session, .selection(terms)) }
}

extension SessionState {
  /// The tasks that all kinds of terms select, in the order of work.
  func selected(_ terms: [DownloadSelector]) -> [TaskID] {
    guard !terms.isEmpty else { return [] }
    let kinds = Dictionary(grouping: terms, by: \.kind).values
    return records.values.filter { record in
      kinds.allSatisfy { $0.contains { $0.matches(record, self) } }
    }.sorted(by: Self.isBefore).map(\.id)
  }
}
