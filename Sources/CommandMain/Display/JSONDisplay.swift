internal import DownloadCore
internal import DownloadEvents
internal import DownloadLists
internal import DownloadWords

/// `--progress json`: one JSON object per line.
final class JSONDisplay: Display {
  /// The least time between two `progress` events: a quarter of a second, less some tolerance for early calls.
  private static let leastInterval = Duration.milliseconds(225)

  private let output: Output
  /// Lines for people, where the objects go to another descriptor.
  private let words: LinesDisplay?
  private var events: JSONEvents
  private var pending: [UInt8] = []
  private var lastProgress: Duration?

  /// - Parameters:
  ///   - directory: the absolute path that names are relative to, without a slash at its end; nil where no file is
  ///     written.
  ///   - clock: milliseconds since 1970.
  package init(
    output: Output, words: LinesDisplay?, directory: [UInt8]?, clock: @escaping () -> Int64 = Timestamp.now
  ) {
    self.output = output
    self.words = words
    events = JSONEvents(directory: directory, .command, clock: clock)
  }

  func began(itemCount: Int?) {
    words?.began(itemCount: itemCount)
    add(events.began(itemCount: itemCount))
    flush()
  }

  func read(_ lists: [ReadList]) {
    words?.read(lists)
    for list in lists { add(events.read(list)) }
    flush()
  }

  func itemStarted(_ task: TaskID, name: [UInt8], location: Location) {
    words?.itemStarted(task, name: name, location: location)
    add(events.itemStarted(task, name: name, location: location))
  }

  func noticed(_ notice: Notice) {
    words?.noticed(notice)
    add(events.noticed(notice))
  }

  func itemEnded(_ outcome: Outcome) {
    words?.itemEnded(outcome)
    add(events.itemEnded(outcome))
  }

  func hasShown(hint: String) -> Bool { words?.hasShown(hint: hint) ?? false }

  func progressed(_ progress: RunProgress) {
    if let lastProgress, progress.elapsed - lastProgress < Self.leastInterval { return }
    lastProgress = progress.elapsed
    add(events.progressed(progress))
  }

  func ended(summary: RunProgress, status: ExitStatus, interrupted: Bool) {
    words?.ended(summary: summary, status: status, interrupted: interrupted)
    add(events.ended(summary: summary, status: status, interrupted: interrupted))
    flush()
  }

  private func add(_ object: JSONObject) {
    pending.append(contentsOf: object.line)
    if pending.count >= Output.batchByteCount { flush() }
  }

  func flush() {
    words?.flush()
    guard !pending.isEmpty else { return }
    output.write(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
