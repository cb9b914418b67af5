/// Decides when the stored bytes of a file are recorded in its sidecar, and when they are synced.
///
/// A killed process loses at most a tenth of a second's work: about 1 MiB up to 200 MiB/s, and never more than 8 MiB. A
/// power cut loses about a second's.
package struct CheckpointPolicy: Sendable {
  package enum Step: Hashable, Sendable {
    case nothing
    /// Record all written bytes.
    case record
    /// Start a data sync of all written bytes; call `syncEnded` when it is done.
    case sync
  }

  private var unrecorded: Int64 = 0
  private var unsynced: Int64 = 0
  private var lastRecord: Instant
  private var lastSync: Instant
  private var isSyncing = false

  /// A record is due after this many bytes, but not before `leastRecordInterval`, which bounds its cost at high rates.
  static let recordByteCount: Int64 = 1 << 20
  static let leastRecordInterval: Duration = .milliseconds(5)
  /// After this many bytes a record is due at once, and after `recordInterval` after any number.
  static let mostUnrecorded: Int64 = 8 << 20
  static let recordInterval: Duration = .milliseconds(100)
  /// A sync is due after `syncInterval`; after this many bytes already, but not before `leastSyncInterval`.
  static let syncByteCount: Int64 = 256 << 20
  static let syncInterval: Duration = .seconds(1)
  static let leastSyncInterval: Duration = .milliseconds(200)

  package init(now: Instant) {
    lastRecord = now
    lastSync = now
  }

  /// Whether `step` will have something to do although nothing more is written.
  package var isUnrecorded: Bool { unrecorded > 0 || unsynced > 0 }

  /// More bytes are in the part file.
  package mutating func wrote(_ byteCount: Int64) {
    unrecorded += byteCount
    unsynced += byteCount
  }

  /// What to do now. Called after writes and at ticks.
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
    guard isRecordDue(now: now) else { return .nothing }
    unrecorded = 0
    lastRecord = now
    return .record
  }

  private func isRecordDue(now: Instant) -> Bool {
    if unrecorded >= Self.mostUnrecorded { return true }
    let interval = unrecorded >= Self.recordByteCount ? Self.leastRecordInterval : Self.recordInterval
    return unrecorded > 0 && now - lastRecord >= interval
  }

  /// The data sync has ended and its record is written; the next interval starts now.
  package mutating func syncEnded(now: Instant) {
    isSyncing = false
    lastSync = now
  }

  /// The content was discarded.
  package mutating func restarted() {
    unrecorded = 0
    unsynced = 0
  }
}
