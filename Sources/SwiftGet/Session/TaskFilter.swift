internal import DownloadCore
internal import DownloadLists
internal import DownloadTransport

/// Terms, prepared to be compared with many tasks.
struct TaskFilter {
  private var ids: Set<TaskID> = []
  private var numbers: Set<Int> = []
  private var keys: Set<String> = []
  private var states: Set<DownloadTaskState.Kind> = []
  private var errors: Set<DownloadError.Code> = []
  private var groups: Set<GroupID> = []
  private var urls: Set<String> = []
  private var hosts: Set<String> = []
  private var paths: Set<[UInt8]> = []
  private var globs: [NameFilter] = []
  /// Those of which there are terms.
  private let kinds: [DownloadSelector.Kind]
  private let state: SessionState

  init(_ terms: some Sequence<DownloadSelector>, _ state: SessionState) {
    self.state = state
    var kinds: Set<DownloadSelector.Kind> = []
    for term in terms {
      kinds.insert(term.kind)
      switch term {
      case .id(let id): ids.insert(id.number)
      case .number(let number): numbers.insert(number)
      case .key(let key): keys.insert(key)
      case .url(let url): urls.insert(url)
      case .host(let host): hosts.insert(host.lowercased())
      case .path(let path): paths.insert(Array(path.utf8))
      case .glob(let pattern):
        var filter = NameFilter()
        filter.included = [Array(pattern.utf8)]
        globs.append(filter)
      case .state(let kind): states.insert(kind)
      case .error(let code): errors.insert(code)
      case .group(let name): if let id = state.groups.known(name) { groups.insert(id) }
      case .all: break
      }
    }
    self.kinds = DownloadSelector.Kind.allCases.filter(kinds.contains)
  }

  /// The only tasks that may be selected, in the order of their ids; nil if any may be.
  var candidates: [TaskID]? { kinds.contains(.task) && numbers.isEmpty ? ids.sorted() : nil }

  /// Whether a task is selected: of each kind of which there are terms one holds. Without terms none is.
  func selects(_ record: TaskRecord) -> Bool {
    !kinds.isEmpty && kinds.allSatisfy { matches(record, $0) }
  }

  private func matches(_ record: TaskRecord, _ kind: DownloadSelector.Kind) -> Bool {
    switch kind {
    case .task: return ids.contains(record.id) || !numbers.isEmpty && numbers.contains(record.number)
    case .key: return record.key.map(keys.contains) ?? false
    case .url: return record.settings.url.map(urls.contains) ?? false || record.urls.contains(where: urls.contains)
    case .host:
      return (record.urls + [record.settings.url].compactMap(\.self)).contains { url in
        guard let location = (try? URLParser.parse(url.utf8))?.location else { return false }
        return hosts.contains(location.host) || hosts.contains("\(location.host):\(location.port)")
      }
    case .path:
      if globs.isEmpty, paths.count == 1, let path = paths.first { return record.hasPath(path) }
      let path = record.path
      return paths.contains(path) || globs.contains { $0.wants(path) }
    case .state: return states.contains(record.kind(state.groups.flags(of: record.group)))
    case .error: if case .failed(let error) = record.phase { return errors.contains(error.code) } else { return false }
    case .group: return groups.contains(record.group)
    case .all: return true
    }
  }
}

extension SessionState {
  /// The tasks that all kinds of terms select, in the order in which they were added.
  func selected(_ terms: [DownloadSelector]) -> [TaskID] {
    var selected: [TaskID] = []
    visit(TaskFilter(terms, self)) {
      selected.append($0.id)
      return true
    }
    return selected
  }

  /// Visits the tasks that are selected, in the order of their ids.
  ///
  /// - Parameters:
  ///   - filter: nil selects all.
  ///   - id: those up to this one are not visited.
  ///   - body: returns false to end it.
  func visit(_ filter: TaskFilter?, after id: TaskID? = nil, _ body: (TaskRecord) -> Bool) {
    if let filter, let candidates = filter.candidates {
      for candidate in candidates where id.map({ $0 < candidate }) ?? true {
        if let record = records[candidate], filter.selects(record), !body(record) { return }
      }
    } else {
      for record in records.all(after: id) where filter?.selects(record) ?? true {
        if !body(record) { return }
      }
    }
  }

  /// The terms that name something of which the session has nothing.
  func unknown(_ terms: [DownloadSelector]) -> [DownloadSelector] {
    let numbers = Set(terms.compactMap { if case .number(let number) = $0 { number } else { nil } })
    let known = numbers.isEmpty ? [] : Set(records.all.lazy.map(\.number).filter(numbers.contains))
    return terms.filter { term in
      switch term {
      case .id(let id): return records[id.number] == nil
      case .number(let number): return !known.contains(number)
      case .group(let name): return groups.known(name).map { !groups[$0].isKnown } ?? true
      case _ where term.isName:
        let filter = TaskFilter(CollectionOfOne(term), self)
        return !records.all.contains { filter.selects($0) }
      default: return false
      }
    }
  }
}
