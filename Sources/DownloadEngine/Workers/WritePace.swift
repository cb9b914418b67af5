internal import DownloadCore

/// Decides whether the loop writes to a device itself, or leaves that to the device's writer.
///
/// As long as writes only copy into the page cache, the loop is faster: the bytes are in the cache of its core, and no
/// thread has to wake up. A write that waits for the disk would stop timers and commands.
///
/// quick ──a write takes long──► slow ──many in a row are short──► quick
struct WritePace {
  private(set) var isSlow: Bool
  /// Short writes since the last one that was not.
  private var shortCount = 0

  /// A write of a block that takes longer has waited for something.
  static let long: Duration = .milliseconds(5)
  /// Copying a block takes less.
  static let short: Duration = .milliseconds(1)
  static let wantedShortCount = 64

  init(isSlow: Bool = false) { self.isSlow = isSlow }

  /// A block was written, by whichever thread.
  mutating func wrote(in duration: Duration) {
    if duration > Self.long {
      isSlow = true
      shortCount = 0
    } else if isSlow {
      shortCount = duration < Self.short ? shortCount + 1 : 0
      if shortCount == Self.wantedShortCount { isSlow = false }
    }
  }
}
