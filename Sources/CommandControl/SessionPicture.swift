internal import DownloadCore
internal import DownloadJSON

/// What a session's news come to: the active tasks and the totals, as the live display of a run shows them.
struct SessionPicture {
  /// Active tasks by their ids.
  private var active: [String: (number: Int64, mean: MeanRate, file: FileProgress)] = [:]
  private var totals = RunProgress()
  private var meanRate = MeanRate()
  /// Names are shown relative to this directory, which is absolute and ends with a slash.
  private let base: String

  /// - Parameter directory: the working directory, absolute.
  init(in directory: String) { base = directory.hasSuffix("/") ? directory : directory + "/" }

  /// - Parameter now: since the start of the run.
  mutating func take(_ news: SessionFollower.News, at now: Duration) {
    switch news {
    case .task(let task): take(task, at: now)
    case .ended(let task, _): if let id = task["id"]?.string { active[id] = nil }
    case .removed(let id): active[id] = nil
    case .totals(let json): take(totals: json, at: now)
    case .gap: active = [:]
    case .upToDate, .stopped: break
    }
  }

  private mutating func take(_ task: JSONValue, at now: Duration) {
    guard let id = task["id"]?.string, let number = UInt64(id, radix: 16) else { return }
    let state = task["state"]?.string ?? ""
    guard state == "running" || state == "verifying" else {
      active[id] = nil
      return
    }
    let rate = Double(task["rate"]?.integer ?? 0)
    let bytes = task["bytes_done"]?.integer ?? 0
    let connections = Int(clamping: task["connections"]?.integer ?? 0)
    let phase: FileProgress.Phase =
      state == "verifying" ? .verifying : rate == 0 && connections == 0 ? .connecting : .receiving
    var mean = active[id]?.mean ?? MeanRate()
    mean.add(rate, at: now)
    let path = task["path"]?.string ?? ""
    active[id] = (
      task["number"]?.integer ?? 0, mean,
      FileProgress(
        task: TaskID(number), name: Array((path.hasPrefix(base) ? String(path.dropFirst(base.count)) : path).utf8),
        phase: phase, completeLength: task["size"]?.integer, doneByteCount: bytes, rate: rate, steadyRate: mean.value,
        connectionCount: connections)
    )
  }

  private mutating func take(totals json: JSONValue, at now: Duration) {
    func count(_ state: StaticString) -> Int { Int(clamping: json["states"]?[state]?.integer ?? 0) }
    totals.itemCount = Int(clamping: json["files"]?.integer ?? 0)
    totals.downloadedCount = count("succeeded")
    totals.failedCount = count("failed")
    totals.withdrawnCount = count("cancelled")
    totals.doneByteCount = json["bytes_done"]?.integer ?? 0
    totals.knownByteCount = json["size"]?.integer
    totals.rate = Double(json["rate"]?.integer ?? 0)
    meanRate.add(totals.rate, at: now)
    totals.steadyRate = meanRate.value
  }

  /// - Parameter now: since the start of the run.
  func progress(at now: Duration) -> RunProgress {
    var progress = totals
    progress.active = active.values.sorted { $0.number < $1.number }.map(\.file)
    progress.connectionCount = progress.active.reduce(0) { $0 + $1.connectionCount }
    progress.elapsed = now
    return progress
  }
}

/// An average of rates, of which older ones count less.
struct MeanRate {
  private(set) var value = 0.0
  private var last: Duration?

  /// Seconds after which a rate counts a third.
  private static let memory = 20.0

  mutating func add(_ rate: Double, at now: Duration) {
    guard let last else {
      (value, self.last) = (rate, now)
      return
    }
    let seconds = max(0, (now - last).inSeconds)
    value += (rate - value) * min(1, seconds / Self.memory)
    self.last = now
  }
}
