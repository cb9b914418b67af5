import DownloadCore
import Glibc

/// The file of `--log`: whole lines, each with its time, or JSON objects, which have theirs, are appended.
///
/// One thread, the loop's. Lines are collected until `flush`; one write takes them all, so that runs may share a log. A
/// pipe that is full, or has no reader, delays the run by one second in total at most; then it loses lines.
final class RunLog {
  /// Called with the words about the first write that fails; later ones are tried without a word.
  var failed: (Diagnostic) -> Void = { _ in }

  let format: LogOptions.Format
  private let descriptor: Int32
  private let shownPath: String
  /// Milliseconds since 1970.
  private let clock: () -> Int64
  private var stamp: (second: Int64, text: [UInt8]) = (.min, [])
  private var pending: [UInt8] = []
  /// A failed write has left the start of a line in the file.
  private var isMidLine = false
  private var hasFailed = false
  /// Milliseconds that the run may still wait for the reader of a pipe.
  private var patience: Int32

  /// Opens the file, or creates it.
  ///
  /// - Throws: a usage error that names it.
  init(
    path: [UInt8], format: LogOptions.Format = .lines, patience: Int32 = 1000,
    clock: @escaping () -> Int64 = Timestamp.now
  ) throws(DownloadError) {
    shownPath = NamedFiles.shown(path)
    self.patience = patience
    self.clock = clock
    self.format = format
    var opened = Self.open(path, O_WRONLY)
    // A pipe without a reader. One may come: until then its buffer takes what fits.
    if opened < 0, errno == ENXIO { opened = Self.open(path, O_RDWR) }
    guard opened >= 0 else { throw NamedFiles.failure(.write, path, of: "--log", errno) }
    descriptor = opened
  }

  deinit { close(descriptor) }

  private static func open(_ path: [UInt8], _ access: Int32) -> Int32 {
    path.withCString { Glibc.open($0, access | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o666) }
  }

  /// - Parameter text: lines, each of which ends with a newline; may be empty. In a log of JSON each is a `message`.
  func add(_ text: String) {
    guard !text.isEmpty else { return }
    let now = clock()
    if format == .json {
      for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
        var object = JSONObject(event: "message", at: now)
        object.add("text", String(Substring(line)))
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
    if pending.count >= Output.batchByteCount { flush() }
  }

  /// Adds an event to a log of JSON.
  func add(_ event: JSONObject) {
    pending += event.text
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= Output.batchByteCount { flush() }
  }

  /// Tells how the program ends.
  func end(_ status: ExitStatus) {
    switch format {
    case .lines: add(Diagnostic(message: "the run ends with status \(status.rawValue)").text)
    case .json:
      var object = JSONObject(event: "exit", at: clock())
      object.add("status", Int64(status.rawValue))
      add(object)
    }
    flush()
  }

  func flush() {
    guard !pending.isEmpty else { return }
    if isMidLine { pending.insert(UInt8(ascii: "\n"), at: 0) }
    let (written, error) = write()
    if written > 0 { isMidLine = pending[written - 1] != UInt8(ascii: "\n") }
    pending.removeAll(keepingCapacity: true)
    guard let error, !hasFailed else { return }
    hasFailed = true
    failed(
      Diagnostic(
        message: "warning: cannot write the log \(shownPath): \(SystemMessages.reason(error)); lines of it are lost"))
  }

  /// - Returns: the bytes that were written, and the errno if these are not all.
  private func write() -> (count: Int, error: Int32?) {
    var written = 0
    while written < pending.count {
      let (count, error) = pending.withUnsafeBytes { buffer in
        let count = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
        return (count, count < 0 ? errno : EIO)
      }
      if count < 0, error == EINTR || error == EAGAIN && waitsForReader() { continue }
      if count <= 0 { return (written, error) }
      written += count
    }
    return (written, nil)
  }

  /// - Returns: false where there is still no room.
  private func waitsForReader() -> Bool {
    guard patience > 0 else { return false }
    let started = ContinuousClock.now
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let count = poll(&wanted, 1, patience)
    let waited = (ContinuousClock.now - started) / .milliseconds(1)
    patience = max(0, patience - Int32(min(waited, 1_000_000)))
    return count != 0
  }
}
