internal import DownloadCore
internal import FileStore

/// Has complete part files judged by the command of `--verify-command`: a few at a time, and nothing waits for it.
///
/// Touched by the loop's thread. The answer is `WorkerReply.judged`.
final class ContentJudge {
  private let command: VerifyCommand
  private let queue: JudgementQueue
  private let runner: ChildRunner<JudgementQueue>

  /// Nil without such a command.
  init?(_ settings: DownloadSettings, replies: Mailbox<WorkerReply>) {
    guard let command = settings.target.verifyCommand else { return nil }
    self.command = command
    queue = JudgementQueue(replies: replies)
    runner = ChildRunner(queue, timeLimit: nil)
  }

  /// - Returns: false if the system has no more threads.
  func start() -> Bool { runner.start() }

  func judge(_ item: ItemHandle, _ part: PartFile, url: Location, byteCount: Int64) {
    let path = DirectoryHandle.joined(part.place.directory.shownPath, part.name)
    queue.add(
      item,
      command.command(
        path: DirectoryHandle.joined(command.workingDirectory, path), url: url, byteCount: byteCount))
    runner.add()
  }

  /// The file is not wanted any more. An answer may still come.
  func forget(_ item: ItemHandle) { if !queue.remove(item) { runner.cancel(item) } }

  /// Ends what runs, and waits for that as long as no further order not to wait comes.
  func stop(hearing inbox: EngineInbox) {
    runner.dropWaiting()
    runner.cancelAll()
    let count = inbox.urgentCount
    _ = runner.waitUntilIdle { inbox.wait(for: $0, but: count) }
    runner.end()
  }
}

/// Files that wait to be judged. It is filled by the loop's thread and emptied by the runner's.
final class JudgementQueue: ChildSource {
  private let waiting = Lock<[(tag: ItemHandle, command: ChildCommand)]>([])
  private let replies: Mailbox<WorkerReply>

  init(replies: Mailbox<WorkerReply>) { self.replies = replies }

  func add(_ item: ItemHandle, _ command: ChildCommand) { waiting.withLock { $0.append((item, command)) } }

  /// - Returns: whether it was still waiting.
  func remove(_ item: ItemHandle) -> Bool {
    waiting.withLock { waiting in
      let count = waiting.count
      waiting.removeAll { $0.tag == item }
      return waiting.count < count
    }
  }

  func next() -> (tag: ItemHandle, command: ChildCommand)? {
    waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  func ended(_ tag: ItemHandle, _ end: ChildEnd) { replies.post(.judged(tag, end)) }

  func dropped(_ count: Int) {}
}
