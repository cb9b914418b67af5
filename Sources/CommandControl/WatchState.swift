internal import CommandDisplay
internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords

/// What `ctl watch` knows of a session: lists, and the news since them. `picture` is what it shows.
struct WatchState {
  private(set) var picture = WatchPicture()
  /// By their ids.
  private var tasks: [String: WatchPicture.Task] = [:]
  /// The hosts of tasks, by the tasks' ids.
  private var hosts: [String: [WatchPicture.WatchedHost]] = [:]
  /// Whether something has changed that only a list tells.
  private(set) var needsList = true

  /// Tasks that a session may have to be listed as a whole.
  static let mostListed: Int64 = 1000
  /// Tasks of one state that are listed of a larger session.
  static let mostOfState: Int64 = 200
  /// Ends that are remembered.
  static let mostEvents = 100
  /// Members of tasks that a list has to have.
  static let fields = [
    "id", "number", "state", "path", "bytes_done", "size", "rate", "connections", "waits_for", "last_error",
    "paused_by", "error", "kept",
  ]

  /// - Parameter session: its name.
  init(session: String) { picture.session = session }

  // MARK: The connection

  /// A process works on the session now, or none does.
  mutating func connected(to process: Int64?) {
    picture.process = process
    picture.note = process == nil ? "no process works on the session; this is what it has stored" : nil
    (picture.hosts, picture.map, hosts) = ([], nil, [:])
    needsList = true
  }

  mutating func tell(_ note: String?) { picture.note = note }

  // MARK: News

  mutating func take(_ news: SessionFollower.News) {
    switch news {
    case .task(let json): take(json)
    case .ended(let json, let number):
      take(json)
      add(json, number)
      needsList = true
    case .removed(let id):
      tasks[id] = nil
      hosts[id] = nil
      needsList = true
    case .totals: needsList = needsList || picture.count(of: "waiting") > 0
    case .gap: needsList = true
    case .upToDate, .stopped: break
    }
  }

  private mutating func take(_ json: JSONValue) {
    let task = WatchPicture.Task(json)
    if task.state == "running" || task.state == "verifying" || tasks[task.id] != nil {
      tasks[task.id] = task
    } else {
      needsList = true
    }
  }

  /// Takes note of an end.
  ///
  /// - Parameter number: of the end.
  mutating func add(_ json: JSONValue, _ number: Int64) {
    guard number > picture.events.last?.number ?? 0 else { return }
    let task = TaskText(json)
    let time = json["ended"]?.string.map(Self.clock) ?? ""
    let reason = task.state == "failed" ? ": \(task.reason)" : ""
    picture.events.append(
      WatchPicture.Event(number: number, text: "\(time) \(task.number) \(task.state) \(task.name)\(reason)"))
    if picture.events.count > Self.mostEvents { picture.events.removeFirst() }
  }

  /// The time of day of `2026-11-28T09:30:00.000Z`, in UTC.
  private static func clock(_ time: String) -> String {
    time.split(separator: "T").last.map { String($0.prefix(8)) } ?? time
  }

  /// - Parameter json: of all tasks of the session.
  mutating func take(totals json: JSONValue) {
    picture.fileCount = json["files"]?.integer ?? 0
    picture.counts = TaskText.order.map { state in
      WatchPicture.StateCount(state, json["states"]?[Array(state.utf8)[...]]?.integer ?? 0)
    }
    picture.bytes = json["bytes_done"]?.integer ?? 0
    picture.size = json["size"]?.integer
    picture.rate = json["rate"]?.integer ?? 0
  }

  /// A second has passed.
  mutating func sampleRate() { if picture.process != nil { picture.rates.add(picture.rate) } }

  mutating func take(session json: JSONValue) { picture.isPaused = json["paused"]?.boolean == true }

  // MARK: Lists

  /// - Parameter list: all tasks that are to be shown.
  mutating func take(list: [JSONValue]) {
    needsList = false
    tasks = [:]
    for json in list {
      let task = WatchPicture.Task(json)
      tasks[task.id] = task
    }
    hosts = hosts.filter { tasks[$0.key] != nil }
  }

  /// The ids of tasks that are worth a description: those that run, and the chosen one.
  func described(_ chosen: String?) -> [String] {
    let active = tasks.values.filter { $0.state == "running" }.sorted { $0.number < $1.number }.map(\.id)
    let wanted = chosen.map { [$0] } ?? []
    return wanted + active.filter { $0 != chosen }.prefix(99 - wanted.count)
  }

  /// - Parameter json: the answer to `describe`.
  mutating func take(descriptions json: JSONValue, _ chosen: String?) {
    hosts = [:]
    picture.map = nil
    for task in json["tasks"]?.elements.map({ Array($0) }) ?? [] {
      guard let id = task["id"]?.string else { continue }
      hosts[id] = (task["hosts"]?.elements.map { Array($0) } ?? []).map(WatchPicture.WatchedHost.init)
      guard id == chosen else { continue }
      let ranges = (task["ranges"]?.elements.map { Array($0) } ?? []).compactMap { pair -> Range<Int64>? in
        guard let ends = pair.elements, ends.count == 2, let low = ends[0].integer, let high = ends[1].integer,
          0 <= low, low < high
        else { return nil }
        return low..<high
      }
      // A task that does not run tells no ranges.
      if !ranges.isEmpty { picture.map = WatchPicture.FileMap(task: id, ranges: ranges) }
    }
  }

  /// Makes the picture of what is known.
  mutating func update() {
    let places = Dictionary(uniqueKeysWithValues: zip(TaskText.order, 0...))
    picture.tasks = tasks.values.sorted { left, right in
      (places[left.state] ?? places.count, left.number) < (places[right.state] ?? places.count, right.number)
    }
    var all: [String: WatchPicture.WatchedHost] = [:]
    for (task, hosts) in hosts {
      for (index, host) in hosts.enumerated() {
        var known = all[host.name] ?? host
        // Of a file with several hosts, nobody tells which one brings what.
        if index == 0 { known.rate += tasks[task]?.rate ?? 0 }
        all[host.name] = known
      }
    }
    picture.hosts = all.values.sorted { ($1.connections, $0.name) < ($0.connections, $1.name) }
  }
}

extension WatchPicture.Task {
  fileprivate init(_ json: JSONValue) {
    self.init()
    let text = TaskText(json)
    (id, number, name, state) = (text.id, text.number, text.name, text.state)
    (bytes, size, rate) = (text.bytes, text.size, text.rate ?? 0)
    connections = json["connections"]?.integer ?? 0
    reason = text.state == "running" ? "" : text.reason
  }
}

extension WatchPicture.WatchedHost {
  fileprivate init(_ json: JSONValue) {
    self.init()
    name = Diagnostic.escaped(json["host"]?.string ?? "")
    connections = json["connections"]?.integer ?? 0
    limit = json["limit"]?.integer ?? 0
    requestRate = json["requests_per_second"]?.number
    pause = json["seconds"]?.number.map { .seconds(max(0, min($0, 1e9))) }
    isUnreachable = json["unreachable"]?.boolean == true
  }
}
