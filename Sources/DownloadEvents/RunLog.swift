package import DownloadCore
package import DownloadLists
package import DownloadWords
internal import Glibc

/// The file of `--log`: whole lines, each with its time, or JSON objects, which have theirs, are appended.
///
/// One thread, the loop's. Lines are collected until `flush`; one write takes them all, so that runs may share a log. A
/// pipe that is full, or has no reader, delays the run by one second in total at most; then it loses lines.
package final class RunLog {
  /// Called with the words about the first write that fails; later ones are tried without a word.
  package var failed: (Diagnostic) -> Void = { _ in }

  /// Bytes that are collected before they are written without waiting for `flush`.
  private static let batchByteCount = 32 << 10

  package let format: LogOptions.Format
  private let path: [UInt8]
  private var state: State
  private let shownPath: String
  private enum State {
    /// Lines are collected. The descriptor is that of a file that exists.
    case waiting(Int32?)
    case open(Int32)
    /// Nothing is written.
    case closed
  }

  /// Milliseconds since 1970.
  private let clock: () -> Int64
  private var stamp: (second: Int64, text: [UInt8]) = (.min, [])
  private var pending: [UInt8] = []
  /// A failed write has left the start of a line in the file.
  private var isMidLine = false
  private var hasFailed = false
  /// Milliseconds that the run may still wait for the reader of a pipe.
  private var patience: Int32

  /// - Parameter opensLater: until `open` or `end`, a file is neither created nor written to.
  /// - Throws: a usage error that names it where it cannot be written.
  package init(
    path: [UInt8], format: LogOptions.Format = .lines, opensLater: Bool = false, patience: Int32 = 1000,
    clock: @escaping () -> Int64 = Timestamp.now
  ) throws(Failure) {
    shownPath = NamedFiles.shown(path)
    self.patience = patience
    self.clock = clock
    self.format = format
    self.path = path
    state = .waiting(try Self.open(path, creating: false))
    if !opensLater { try open() }
  }

  deinit {
    switch state {
    case .open(let descriptor), .waiting(let descriptor?): close(descriptor)
    case .waiting(nil), .closed: break
    }
  }

  /// Writes what was collected, and from now on what comes.
  ///
  /// - Throws: a usage error where the file cannot be made. Nothing is written then.
  package func open() throws(Failure) {
    guard case .waiting(let descriptor) = state else { return }
    state = .closed
    let opened = if let descriptor { descriptor } else { try Self.open(path, creating: true) }
    guard let opened else { return }
    state = .open(opened)
    flush()
  }

  /// Leaves the file alone: the run is refused, because others want it.
  package func abandon() {
    if case .waiting(let descriptor?) = state { close(descriptor) }
    state = .closed
  }

  /// - Returns: nil where there is no file, and none is to be made.
  private static func open(_ path: [UInt8], creating: Bool) throws(Failure) -> Int32? {
    func open(_ access: Int32) -> Int32 {
      let flags = access | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (creating ? O_CREAT : 0)
      return path.withCString { Glibc.open($0, flags, 0o666) }
    }
    var opened = open(O_WRONLY)
    // A pipe without a reader. One may come: until then its buffer takes what fits.
    if opened < 0, errno == ENXIO { opened = open(O_RDWR) }
    if opened >= 0 { return opened }
    var error = errno
    if error == ENOENT, !creating {
      let directory = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? [UInt8(ascii: ".")]
      guard directory.withCString({ faccessat(AT_FDCWD, $0, W_OK | X_OK, AT_EACCESS) }) != 0 else { return nil }
      error = errno
    }
    throw NamedFiles.failure(.write, path, of: "\(.log)", error)
  }

  /// - Parameter text: lines, each of which ends with a newline; may be empty. In a log of JSON each is a `message`.
  package func add(_ text: String) {
    guard !text.isEmpty else { return }
    let now = clock()
    if format == .json {
      for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
        var object = JSONObject(.message, at: now)
        object.add(.message, String(Substring(line)))
        add(object)
      }
      return
    }
    let second = now / 1000
    if stamp.second != second {
      let time = Timestamp.text(unixTime: second, offset: Timestamp.localOffset(unixTime: second))
      stamp = (second, Array((time + " ").utf8))
    }
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      pending += stamp.text
      pending += line
      pending.append(UInt8(ascii: "\n"))
    }
    if pending.count >= Self.batchByteCount { flush() }
  }

  /// Adds an event to a log of JSON.
  package func add(_ event: JSONObject) {
    pending += event.text
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= Self.batchByteCount { flush() }
  }

  /// Tells how the program ends.
  package func end(_ status: ExitStatus) {
    do { try open() } catch { failed(Diagnostic(error)) }
    switch format {
    case .lines: add("swiftget: the run ends with status \(status.rawValue)\n")
    case .json:
      var object = JSONObject(.exit, at: clock())
      object.add(.status, Int64(status.rawValue))
      add(object)
    }
    flush()
  }

  package func flush() {
    if case .closed = state { pending = [] }
    guard !pending.isEmpty, case .open(let descriptor) = state else { return }
    if isMidLine { pending.insert(UInt8(ascii: "\n"), at: 0) }
    let (written, error) = write(to: descriptor)
    if written > 0 { isMidLine = pending[written - 1] != UInt8(ascii: "\n") }
    pending.removeAll(keepingCapacity: true)
    guard let error, !hasFailed else { return }
    hasFailed = true
    failed(
      Diagnostic(
        message: "warning: cannot write the log \(shownPath): \(SystemMessages.reason(error)); lines of it are lost"))
  }

  /// - Returns: the bytes that were written, and the errno if these are not all.
  private func write(to descriptor: Int32) -> (count: Int, error: Int32?) {
    var written = 0
    while written < pending.count {
      let (count, error) = pending.withUnsafeBytes { buffer in
        let count = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
        return (count, count < 0 ? errno : EIO)
      }
      if count < 0, error == EINTR || error == EAGAIN && waitsForReader(of: descriptor) { continue }
      if count <= 0 { return (written, error) }
      written += count
    }
    return (written, nil)
  }

  /// - Returns: false where there is still no room.
  private func waitsForReader(of descriptor: Int32) -> Bool {
    guard patience > 0 else { return false }
    let started = ContinuousClock.now
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let count = poll(&wanted, 1, patience)
    let waited = (ContinuousClock.now - started) / .milliseconds(1)
    patience = max(0, patience - Int32(min(waited, 1_000_000)))
    return count != 0
  }
}
