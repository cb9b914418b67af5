/// When what is stored of a file gets recorded, and when it gets synced: at most a moment's work is lost to a kill, at
/// most about a second's to a power cut.
package struct CheckpointPolicy: Sendable {
  package enum Step: Hashable, Sendable {
    case nothing
    /// Write a record of all that is written.
    case record
    /// Start a data sync of all that is written; tell `syncEnded` when it is done.
    case sync
  }

  private var unrecorded: Int64 = 0
  private var unsynced: Int64 = 0
  private var lastRecord: Instant
  private var lastSync: Instant
  private var isSyncing = false

  static let recordByteCount: Int64 = 8 << 20
  static let recordInterval: Duration = .milliseconds(100)
  static let syncByteCount: Int64 = 256 << 20
  static let syncInterval: Duration = .seconds(1)
  static let leastSyncInterval: Duration = .milliseconds(200)

  package init(now: Instant) {
    lastRecord = now
    lastSync = now
  }

  /// `byteCount` more bytes are in the part file.
  package mutating func wrote(_ byteCount: Int64) {
    unrecorded += byteCount
    unsynced += byteCount
  }

  /// What to do now; called after writes and at ticks.
  package mutating func step(now: Instant, syncs: Bool) -> Step {
    if syncs, !isSyncing, unsynced > 0,
      now - lastSync >= Self.syncInterval
        || (unsynced >= Self.syncByteCount && now - lastSync >= Self.leastSyncInterval)
    {
      isSyncing = true
      lastSync = now
      unsynced = 0
      return .sync
    }
    if unrecorded >= Self.recordByteCount || (unrecorded > 0 && now - lastRecord >= Self.recordInterval) {
      unrecorded = 0
      lastRecord = now
      return .record
    }
    return .nothing
  }

  /// The data sync has ended and its record is written; the next interval counts from here.
  package mutating func syncEnded(now: Instant) {
    isSyncing = false
    lastSync = now
  }

  /// The content was thrown away.
  package mutating func restarted() {
    unrecorded = 0
    unsynced = 0
  }
}
