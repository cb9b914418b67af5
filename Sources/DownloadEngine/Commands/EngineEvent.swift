package import DownloadCore

/// What an engine tells its subscribers. Events are copied for each of them, so large values are indirect.
package enum EngineEvent: Sendable {
  /// The task left the queue. Its first request follows.
  case started(TaskID, name: [UInt8], location: Location)
  /// Something of interest that is no failure, such as a restart, an ignored sidecar or an expelled mirror.
  case noticed(Notice)
  indirect case ended(Outcome)
  /// As often as a subscriber has asked for.
  indirect case progressed(RunProgress)
  /// The answer to `EngineCommand.tellStatus`.
  indirect case status(RunProgress)
}

/// The events of one round of the engine's loop, in their order.
package struct EventBatch: Sendable {
  /// Counts the batches of an engine from 1. One that has only progress that is not due yet is left out.
  package let number: Int
  /// Whether batches before this one were dropped, because the subscriber was behind. The last progress was not.
  package let hasGap: Bool
  package internal(set) var events: [EngineEvent]
}
