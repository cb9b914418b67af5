package import DownloadCore
internal import DownloadEngine
internal import DownloadScratch

/// Commands of hooks that wait to be run. It is filled by the loop's thread and emptied by the runner's.
package final class HookQueue: ChildSource {
  package struct Hook: Sendable, Hashable {
    let event: HookEvent
    /// The file; nil for the run.
    var task: TaskID?
    var name: [UInt8]?
    /// The task's own command; nil is that of the run.
    var command: PlacedCommand?
    /// The finished file; nil where there is none.
    var file: HookedFile?

    package init(event: HookEvent, task: TaskID? = nil, name: [UInt8]? = nil, command: PlacedCommand? = nil) {
      (self.event, self.task, self.name, self.command) = (event, task, name, command)
    }
  }

  /// What has become of the hooks so far.
  package struct Tally: Sendable {
    package var count = 0
    package var failedCount = 0
    /// Those that were not run, because the run was interrupted.
    package var droppedCount = 0
    /// Whether one has changed the content of a finished file.
    var haveChangedFiles = false
    /// Hooks for this are not run any more.
    fileprivate var dropped: HookEvent?
  }

  /// Failures that are told one by one.
  static let mostTold = 20

  /// Those of the run.
  private let commands: [HookEvent: PlacedCommand]
  private let texts: SpooledQueue
  private let told = Mailbox<Notice>()
  private let progress = Lock(Tally())

  /// - Parameter directory: of the targets; a list of hooks that becomes long is in an unnamed file there.
  package init(_ commands: [HookEvent: CommandWords], directory: [UInt8]) {
    self.commands = commands.mapValues { PlacedCommand($0) }
    texts = SpooledQueue(beside: directory + Array("/hooks".utf8))
  }

  package var tally: Tally { progress.withLock { $0 } }

  /// Failures since the last call, as far as they are told.
  package func takeNotices() -> [Notice] { told.takeAll() }

  /// Adds the hook for an event.
  /// - Returns: whether there is one, which the runner is to be told of.
  ///
  /// - Parameters:
  ///   - path: of the finished file, absolute; nil where there is none.
  ///   - digest: of its content.
  package func add(
    _ tag: Hook, _ variables: @autoclosure () -> HookVariables, path: [UInt8]? = nil, digest: ContentDigest? = nil
  ) -> Bool {
    guard command(of: tag) != nil else { return false }
    progress.withLock { $0.count += 1 }
    do throws(FileFailure) {
      try texts.add(Self.text(tag, path: path, digest, variables()))
      return true
    } catch {
      failed(tag, Self.end(error))
      return false
    }
  }

  func next() -> (tag: Hook, command: ChildCommand)? {
    do throws(FileFailure) {
      guard let text = try texts.next(), let (tag, path, digest, variables) = Self.parsed(text),
        let command = command(of: tag), !isDropped(tag)
      else { return nil }
      var hook = tag
      if !path.isEmpty { hook.file = HookedFile(path: path, digest: digest) }
      return (hook, ChildCommand(words: command.command.words, variables: variables, directory: command.directory))
    } catch {
      failed(Hook(event: .complete), Self.end(error))
      return nil
    }
  }

  private func command(of tag: Hook) -> PlacedCommand? { tag.command ?? commands[tag.event] }

  /// Runs no more hooks for an event; those that wait do not count.
  func drop(_ event: HookEvent) { progress.withLock { $0.dropped = event } }

  private func isDropped(_ tag: Hook) -> Bool {
    progress.withLock { progress in
      guard progress.dropped == tag.event else { return false }
      progress.count -= 1
      return true
    }
  }

  func ended(_ tag: Hook, _ end: ChildEnd) {
    // A run that is to end does not wait for a hash.
    if tag.file?.unmarkIfChanged(hashes: end != .cancelled) == true { progress.withLock { $0.haveChangedFiles = true } }
    if !end.isSuccess { failed(tag, end) }
  }

  func dropped(_ count: Int) { progress.withLock { $0.droppedCount += count } }

  private func failed(_ tag: Hook, _ end: ChildEnd) {
    let count = progress.withLock {
      $0.failedCount += 1
      return $0.failedCount
    }
    guard count <= Self.mostTold else { return }
    let program = command(of: tag)?.program ?? []
    told.post(
      Notice(
        task: tag.task, name: tag.name, level: .warning,
        .commandFailed(option: "\(tag.event.setting)", program: program, end)))
  }

  /// A hook whose description cannot be stored, or read again.
  private static func end(_ failure: FileFailure) -> ChildEnd {
    if case .failed(_, let errno) = failure.problem { .notStarted(errno: errno) } else { .notStarted(errno: 0) }
  }

  // MARK: Texts

  /// Parts with a NUL behind each: the event, the item, the name, the path and the digest of a finished file, the
  /// directory and the text of the task's own command, the variables. No name contains a NUL.
  private static func text(
    _ tag: Hook, path: [UInt8]?, _ digest: ContentDigest?, _ variables: HookVariables
  ) -> [UInt8] {
    let parts =
      [
        Array(tag.event.rawValue.utf8), Array((tag.task.map { String($0.number) } ?? "").utf8), tag.name ?? [],
        path ?? [],
        Array((digest?.text ?? "").utf8), tag.command?.directory ?? [], tag.command?.command.text ?? [],
      ] + variables.entries
    return Array(parts.joined(separator: [0]))
  }

  private static func parsed(
    _ text: [UInt8]
  ) -> (tag: Hook, path: [UInt8], digest: ContentDigest?, variables: [[UInt8]])? {
    let parts = text.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count >= 7, let event = HookEvent(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
      return nil
    }
    let task = UInt64(String(decoding: parts[1], as: UTF8.self)).map(TaskID.init)
    let command = (try? CommandWords(text: parts[6])).map { PlacedCommand($0, in: parts[5]) }
    let tag = Hook(event: event, task: task, name: task == nil ? nil : parts[2], command: command)
    return (tag, parts[3], ContentDigest(text: String(decoding: parts[4], as: UTF8.self)), Array(parts[7...]))
  }
}
