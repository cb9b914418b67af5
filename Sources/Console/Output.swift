package import DownloadEngine
import Glibc

/// A descriptor that text goes to, written with write(2), so that every failure is seen where it happens.
///
/// Used by the loop's thread only. Nothing is buffered here: who reports often collects lines first.
package final class Output {
  package enum Purpose: Sendable {
    /// Data that was asked for: a failed write is remembered in `failed`. Waits for its reader as long as no signal
    /// ends the run.
    case data
    /// Words for a person: nobody listening any more is no failure of the download, and a reader that is stuck holds it
    /// up for a second in all.
    case messages
  }

  private let descriptor: Int32
  /// Opened here, closed here.
  private let isOwn: Bool
  private let purpose: Purpose
  /// What a write takes at most so that it does not wait where poll says that there is room.
  private let pieceByteCount: Int
  /// What ends a wait; before a run hears signals they end the process.
  package var signals: SignalWatch?
  /// The errno of the first failed write of data; later writes are dropped.
  package private(set) var failed: Int32?
  private var isGone = false
  /// Milliseconds for which messages may yet wait.
  private var patience: Int32 = 1000

  /// - Parameter descriptor: stays the caller's.
  package init(descriptor: Int32, purpose: Purpose) {
    self.descriptor = descriptor
    isOwn = false
    self.purpose = purpose
    pieceByteCount = Self.isRegularFile(descriptor) ? .max : Self.certainByteCount
  }

  /// One of the process's own descriptors. A terminal is opened once more, without blocking, where that can be done:
  /// the flags of what is open are shared with others, and its write may wait although poll says that there is room.
  private init(standard descriptor: Int32, purpose: Purpose) {
    let path = "/proc/self/fd/\(descriptor)"
    let reopened = isatty(descriptor) == 1 ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    self.descriptor = reopened >= 0 ? reopened : descriptor
    isOwn = reopened >= 0
    self.purpose = purpose
    pieceByteCount = Self.isRegularFile(descriptor) ? .max : Self.certainByteCount
  }

  deinit { if isOwn { close(descriptor) } }

  package static func standardOutput() -> Output { Output(standard: STDOUT_FILENO, purpose: .data) }
  package static func standardError() -> Output { Output(standard: STDERR_FILENO, purpose: .messages) }

  /// Linux promises that a pipe which polls as writable takes this much at once without waiting.
  private static let certainByteCount = 4096

  private static func isRegularFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether it was opened for writing. One that was closed when the process began is open the other way since.
  package var isWritable: Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }

  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes all bytes or gives up for good; a message that finds its reader stuck is dropped, and the next may get
  /// through. SIGPIPE has to be ignored by the process.
  package func write(_ bytes: [UInt8]) {
    guard !isGone else { return }
    var start = 0
    while start < bytes.count {
      guard waitUntilWritable() else { return }
      let (count, error) = bytes.withUnsafeBytes { buffer in
        let count = Glibc.write(descriptor, buffer.baseAddress! + start, min(buffer.count - start, pieceByteCount))
        return (count, count < 0 ? errno : 0)
      }
      if count > 0 {
        start += count
        continue
      }
      switch error {
      // Another writer was faster.
      case EINTR, EAGAIN: continue
      default:
        isGone = true
        if purpose == .data { failed = error == 0 ? EIO : error }
        return
      }
    }
  }

  /// - Returns: false where this is not to be written any more.
  private func waitUntilWritable() -> Bool {
    switch purpose {
    case .data:
      if let signals {
        isGone = !signals.wait(for: descriptor, .writable)
        return !isGone
      }
      return isWritable(within: -1)
    case .messages:
      if isWritable(within: 0) { return true }
      let started = ContinuousClock.now
      let isReady = isWritable(within: patience)
      let waited = (ContinuousClock.now - started) / .milliseconds(1)
      patience = max(0, patience - Int32(min(waited, 1000)))
      return isReady
    }
  }

  private func isWritable(within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let count = poll(&wanted, 1, milliseconds)
      if count < 0, errno == EINTR { continue }
      // A failed poll says nothing; the write will.
      return count != 0
    }
  }
}
