internal import DownloadCore
internal import DownloadEngine
internal import DownloadTransport

/// Orders to an engine that have come to something, on their way from its thread to the session's.
final class SessionNotes: Sendable {
  enum Note: Sendable {
    /// The order has been obeyed after the batch of events with this number.
    case obeyed(order: Int, [EngineAnswer], batch: Int)
    /// Its effects have begun.
    case answered(order: Int)
    /// Tasks were asked about.
    case described([TaskDescription], batch: Int)
  }

  private let notes = Lock<[Note]>([])
  private let wakeup = Wakeup()

  /// Readable while there are notes.
  var descriptor: Int32 { wakeup.descriptor }

  func add(_ note: Note) {
    let isFirst = notes.withLock { notes in
      notes.append(note)
      return notes.count == 1
    }
    if isFirst { wakeup.signal() }
  }

  /// Has the session's thread look around.
  func wake() { wakeup.signal() }

  func takeAll() -> [Note] {
    wakeup.clear()
    return notes.withLock { notes in
      defer { notes = [] }
      return notes
    }
  }
}
