internal import DownloadCore

/// Tasks that were taken back while the storage thread has jobs of their files, which may hold their locks, and the
/// answers to commands that wait for that.
struct FileReleases {
  private struct WaitingAnswer {
    var tasks: Set<TaskID>
    let answers: [EngineAnswer]
    let answer: @Sendable ([EngineAnswer]) -> Void
  }

  /// The number of jobs of each.
  private var jobCounts: [TaskID: Int] = [:]
  private var waiting: [WaitingAnswer] = []
  /// Tasks that were taken back since the last order began, or that it awaits.
  private var tasksOfOrder: Set<TaskID> = []

  /// Tasks of which jobs are left.
  var tasks: Dictionary<TaskID, Int>.Keys { jobCounts.keys }

  /// Whether the task must not begin yet.
  func isClosing(_ task: TaskID) -> Bool { jobCounts[task] != nil }

  mutating func beginOrder() { tasksOfOrder = [] }

  /// The order names these tasks. Those that were taken back earlier, by another order or a lower limit, may still be
  /// written to.
  mutating func awaitClosing(_ isNamed: (TaskID) -> Bool) { tasksOfOrder.formUnion(jobCounts.keys.filter(isNamed)) }

  /// Answers at once, or when the files of all tasks that the order takes back or awaits are released.
  mutating func answer(_ order: EngineOrder, _ answers: [EngineAnswer]) {
    guard let answer = order.answer else { return }
    if tasksOfOrder.isEmpty { return answer(answers) }
    waiting.append(WaitingAnswer(tasks: tasksOfOrder, answers: answers, answer: answer))
  }

  /// The storage thread has got a job `StorageJob.release`.
  mutating func began(_ task: TaskID) {
    jobCounts[task, default: 0] += 1
    tasksOfOrder.insert(task)
  }

  /// The storage thread has done that job.
  ///
  /// - Returns: whether it was the last one of the task.
  mutating func ended(_ task: TaskID) -> Bool {
    jobCounts[task, default: 1] -= 1
    guard jobCounts[task] == 0 else { return false }
    jobCounts[task] = nil
    tasksOfOrder.remove(task)
    for index in waiting.indices.reversed() where waiting[index].tasks.remove(task) != nil {
      if waiting[index].tasks.isEmpty { Self.answer(waiting.remove(at: index)) }
    }
    return true
  }

  /// The engine has ended.
  mutating func answerAll() {
    waiting.forEach(Self.answer)
    waiting = []
  }

  private static func answer(_ waiting: WaitingAnswer) { waiting.answer(waiting.answers) }
}
