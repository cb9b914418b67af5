import Glibc

/// A descriptor that text goes to, written with write(2), so that every failure is seen where it happens.
///
/// Used by the loop's thread only. Nothing is buffered here: who reports often collects lines first.
package final class Output {
  package enum Purpose: Sendable {
    /// Data that was asked for: a failed write is remembered in `failed`.
    case data
    /// Words for a person: nobody listening any more is no failure of the download.
    case messages
  }

  package let descriptor: Int32
  private let purpose: Purpose
  /// The errno of the first failed write of data; later writes are dropped.
  package private(set) var failed: Int32?
  private var isGone = false

  package init(descriptor: Int32, purpose: Purpose) {
    self.descriptor = descriptor
    self.purpose = purpose
  }

  package static func standardOutput() -> Output { Output(descriptor: STDOUT_FILENO, purpose: .data) }
  package static func standardError() -> Output { Output(descriptor: STDERR_FILENO, purpose: .messages) }

  /// Whether it was opened for writing. One that was closed when the process began is open the other way since.
  package var isWritable: Bool {
    let flags = fcntl(descriptor, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }

  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes all bytes or gives up for good. SIGPIPE has to be ignored by the process.
  package func write(_ bytes: [UInt8]) {
    guard !isGone else { return }
    var start = 0
    while start < bytes.count {
      let (count, error) = bytes.withUnsafeBytes { buffer in
        let count = Glibc.write(descriptor, buffer.baseAddress! + start, buffer.count - start)
        return (count, count < 0 ? errno : 0)
      }
      if count > 0 {
        start += count
        continue
      }
      switch error {
      case EINTR: continue
      case EAGAIN where waitUntilWritable(): continue
      case EAGAIN: return  // messages only: this one is dropped, the next may get through
      default:
        isGone = true
        if purpose == .data { failed = error == 0 ? EIO : error }
        return
      }
    }
  }

  /// Somebody else who holds the open file may have made it non-blocking. Data waits as long as a blocking write
  /// would; a message waits a second, for a stuck terminal must not hold up the download.
  private func waitUntilWritable() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while true {
      let count = poll(&wanted, 1, purpose == .data ? -1 : 1000)
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}
