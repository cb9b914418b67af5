internal import DownloadEngine
internal import Glibc

/// A descriptor for text, written with write(2), so that every failure is detected at once.
///
/// One thread, the loop's. Does not buffer.
package final class Output {
  /// Bytes that a display collects before it writes them without waiting for its next turn.
  static let batchByteCount = 32 << 10

  package enum Purpose: Sendable {
    /// Requested data. A failed write is kept in `failed`. Waits for its reader; from a signal that ends the run on
    /// for half a second in total at most.
    case data
    /// Messages for people. A reader that is gone is not an error. A stuck reader delays the run by one second in total at
    /// most, and its end by another one.
    case messages
  }

  private let descriptor: Int32
  /// Whether this object opened the descriptor and closes it.
  private let isOwn: Bool
  private let purpose: Purpose
  /// The most bytes per write that does not block once poll reports the descriptor as writable.
  private let pieceByteCount: Int
  /// Signals that end a wait for the reader of data or of a long text; nil before a run, where signals end the process.
  var signals: SignalWatch?
  /// The errno of the first failed write of data; later writes are dropped.
  private(set) var failed: Int32?
  private var isGone = false
  /// Whether a long text may have ended within a line.
  private var isCut = false
  /// Milliseconds that messages, and data after a signal, may still wait for their reader.
  private var patience: Int32

  /// - Parameter descriptor: owned by the caller.
  package init(descriptor: Int32, purpose: Purpose) {
    self.descriptor = descriptor
    isOwn = false
    self.purpose = purpose
    patience = Self.patience(purpose)
    pieceByteCount = Self.isRegularFile(descriptor) ? .max : Self.certainByteCount
  }

  /// One of the standard descriptors. A terminal is opened again without blocking where possible: a write may block
  /// although poll reports it as writable, and other processes share the flags of the open descriptor.
  private init(standard descriptor: Int32, purpose: Purpose) {
    let path = "/proc/self/fd/\(descriptor)"
    let reopened = isatty(descriptor) == 1 ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    self.descriptor = reopened >= 0 ? reopened : descriptor
    isOwn = reopened >= 0
    self.purpose = purpose
    patience = Self.patience(purpose)
    pieceByteCount = Self.isRegularFile(descriptor) ? .max : Self.certainByteCount
  }

  deinit { if isOwn { close(descriptor) } }

  static func standardOutput() -> Output { Output(standard: STDOUT_FILENO, purpose: .data) }
  static func standardError() -> Output { Output(standard: STDERR_FILENO, purpose: .messages) }

  private static func patience(_ purpose: Purpose) -> Int32 {
    switch purpose {
    case .data: 500
    case .messages: 1000
    }
  }

  /// A pipe that polls as writable takes this many bytes without blocking (PIPE_BUF, pipe(7)).
  private static let certainByteCount = 4096

  private static func isRegularFile(_ descriptor: Int32) -> Bool { stat(of: descriptor)?.type == S_IFREG }

  /// Whether it is open for writing. `ProcessSetup` has opened a closed standard output for reading only.
  var isWritable: Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }

  /// Whether another program reads it.
  var isPipe: Bool { stat(of: descriptor)?.type == S_IFIFO }

  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes all bytes, or stops writing for good after an error. A message for a stuck reader is dropped; the next one
  /// is tried again. The process must ignore SIGPIPE.
  package func write(_ bytes: [UInt8]) {
    let begin = isCut ? [UInt8(ascii: "\n")] : []
    if write(begin + bytes, when: waitUntilWritable) { isCut = false }
  }

  /// Writes messages of any length, of which a slow reader gets all. They end early where the reader takes nothing for a
  /// second, or a signal that ends the run comes; after such a signal, where it keeps the run waiting for half a second.
  ///
  /// - Parameter tell: hands over the lines, until that returns false.
  func writeLong(_ tell: (_ take: (String) -> Bool) -> Void) {
    var batch: [UInt8] = []
    var isTaken = true
    tell { lines in
      batch += lines.utf8
      guard batch.count >= Self.batchByteCount else { return true }
      isTaken = write(batch, when: waitForSlowReader)
      batch.removeAll(keepingCapacity: true)
      return isTaken
    }
    if isTaken { isTaken = write(batch, when: waitForSlowReader) }
    if !isTaken { isCut = true }
  }

  /// - Returns: whether all bytes were written.
  private func write(_ bytes: [UInt8], when isReady: () -> Bool) -> Bool {
    guard !isGone else { return false }
    var start = 0
    while start < bytes.count {
      guard isReady() else { return false }
      let (count, error) = bytes.withUnsafeBytes { buffer in
        let count = Glibc.write(descriptor, buffer.baseAddress! + start, min(buffer.count - start, pieceByteCount))
        return (count, count < 0 ? errno : 0)
      }
      if count > 0 {
        start += count
        continue
      }
      switch error {
      // EAGAIN: another writer has filled the pipe since the poll.
      case EINTR, EAGAIN: continue
      default:
        isGone = true
        if purpose == .data { failed = error == 0 ? EIO : error }
        return false
      }
    }
    return true
  }

  /// - Returns: false where the rest must not be written.
  private func waitUntilWritable() -> Bool {
    switch purpose {
    case .data:
      guard let signals else { return isWritable(within: -1) }
      if signals.wait(for: descriptor, .writable) { return true }
      // The run says how it was interrupted to a reader who listens.
      isGone = !isWritableSoon()
      return !isGone
    case .messages: return isWritableSoon()
    }
  }

  /// - Returns: false where the rest of a long text is not to be written.
  private func waitForSlowReader() -> Bool {
    guard let signals else { return isWritableSoon() }
    let isEnding = signals.ending != nil
    let limit = isEnding ? max(0, patience - Self.patience(.messages) / 2) : Self.patience(.messages)
    let started = ContinuousClock.now
    let count = signals.endingCount
    guard signals.wait(for: descriptor, .writable, but: count, within: .milliseconds(limit)) else { return false }
    if isEnding { spendPatience(since: started) }
    return isWritable(within: 0)
  }

  private func isWritableSoon() -> Bool {
    if isWritable(within: 0) { return true }
    let started = ContinuousClock.now
    let isReady = isWritable(within: patience)
    spendPatience(since: started)
    return isReady
  }

  private func spendPatience(since started: ContinuousClock.Instant) {
    let waited = (ContinuousClock.now - started) / .milliseconds(1)
    patience = max(0, patience - Int32(min(waited, 1000)))
  }

  private func isWritable(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let count = poll(&wanted, 1, milliseconds)
      if count < 0, errno == EINTR { continue }
      // After a failed poll the write reports the error.
      return count != 0
    }
  }
}
