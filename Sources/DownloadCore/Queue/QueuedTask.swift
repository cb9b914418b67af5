/// A task that the queue knows: 24 bytes, because there may be 100,000.
struct QueuedTask: TaskEntry {
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
  var isGone: Bool { state == .gone }
  var isSettled: Bool { state == .succeeded || state == .failed || state == .cancelled }

  mutating func leave() { state = .gone }
}

/// How a task ended.
package enum TaskEnd: Hashable, Sendable { case succeeded, failed, withdrawn }

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

  init(_ end: TaskEnd) {
    self =
      switch end {
      case .succeeded: .succeeded
      case .failed: .failed
      case .withdrawn: .cancelled
      }
  }
}
