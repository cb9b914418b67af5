internal import DownloadEngine

/// An order to an engine that has come to something, on its way from its thread to the session's.
enum SessionNote: Sendable {
  /// The order has been obeyed after the batch of events with this number.
  case obeyed(order: Int, [EngineAnswer], batch: Int)
  /// Its effects have begun.
  case answered(order: Int)
  /// Tasks were asked about.
  case described([TaskDescription], batch: Int)
}
