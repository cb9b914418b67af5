/// A task that the queue knows: 24 bytes, because there may be 100,000.
struct QueuedTask {
  let id: TaskID
  var key: OrderKey
  var host: Int32
  /// Its place among the groups.
  var group: UInt16
  var state: TaskState
  /// Whether it was paused by itself, whatever its group and session are.
  var isPaused = false

  /// Whether it stands in its lane.
  var isReady: Bool { state == .queued && !isPaused }
  var isSettled: Bool { state == .succeeded || state == .failed || state == .cancelled }
}

enum TaskState: UInt8 {
  case queued
  /// Until a time.
  case waiting
  /// It has a handle.
  case active
  case succeeded
  case failed
  case cancelled
  /// It is to be forgotten as soon as its handle is given back.
  case leaving
  case gone
}

/// The tasks of a queue, in the order of their ids.
struct TaskTable {
  private var tasks: [QueuedTask] = []
  private var goneCount = 0

  var count: Int { tasks.count - goneCount }
  var all: some Sequence<QueuedTask> { tasks.lazy.filter { $0.state != .gone } }

  /// Costs constant time for an id that is greater than all others.
  ///
  /// - Returns: false if a task has the id.
  mutating func insert(_ task: QueuedTask) -> Bool {
    if tasks.last.map({ $0.id < task.id }) ?? true {
      tasks.append(task)
      return true
    }
    let index = position(of: task.id)
    if tasks[index].id == task.id {
      guard tasks[index].state == .gone else { return false }
      tasks[index] = task
      goneCount -= 1
    } else {
      tasks.insert(task, at: index)
    }
    return true
  }

  /// Nil for an id that is not known; setting it to nil has no effect.
  subscript(_ id: TaskID) -> QueuedTask? {
    get { index(of: id).map { tasks[$0] } }
    set { if let newValue, let index = index(of: id) { tasks[index] = newValue } }
  }

  mutating func remove(_ id: TaskID) {
    guard let index = index(of: id) else { return }
    tasks[index].state = .gone
    goneCount += 1
    guard goneCount > 64, goneCount > tasks.count / 2 else { return }
    tasks.removeAll { $0.state == .gone }
    goneCount = 0
  }

  private func index(of id: TaskID) -> Int? {
    let found = position(of: id)
    return found < tasks.count && tasks[found].id == id && tasks[found].state != .gone ? found : nil
  }

  /// Where the task with this id is, or would be inserted.
  private func position(of id: TaskID) -> Int {
    // Ids of a list count up without gaps, and the oldest ones end first.
    if let first = tasks.first, id.number >= first.id.number {
      let guess = Int(clamping: id.number - first.id.number)
      if guess < tasks.count, tasks[guess].id == id { return guess }
    }
    var range = 0..<tasks.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if tasks[middle].id < id { range = middle + 1..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    return range.lowerBound
  }
}
