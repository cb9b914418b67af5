internal import DownloadCore
internal import DownloadEngine
internal import DownloadScratch
internal import DownloadWords
internal import Glibc

/// An open file of a list, closed with its last reference.
final class OpenFile {
  let descriptor: Int32
  private let closes: Bool

  /// - Parameter closes: false for standard input.
  init(_ descriptor: Int32, closes: Bool = true) {
    self.descriptor = descriptor
    self.closes = closes
  }

  deinit { if closes { close(descriptor) } }

  /// Whether it is a regular file at its start, which can be read at any offset.
  var isRegularAtStart: Bool { lseek(descriptor, 0, SEEK_CUR) == 0 && stat(of: descriptor)?.type == S_IFREG }

  /// An empty file below TMPDIR without a name, which no other user can open. Writes go to its end.
  static func unnamed() throws(Failure) -> OpenFile {
    let directory = String(decoding: TemporaryStores.usualDirectory, as: UTF8.self)
    var template = Array("\(directory)/swiftget-XXXXXX".utf8CString)
    let made = mkstemp(&template)
    guard made >= 0 else {
      throw Failure(
        .localIO, "cannot create a temporary file in \(directory): \(SystemMessages.reason(errno))",
        hint: "set TMPDIR to a writable directory with free space")
    }
    unlink(template)
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    _ = fcntl(made, F_SETFL, O_APPEND)
    return OpenFile(made)
  }

  /// An unnamed file with these bytes.
  static func unnamed(_ bytes: [UInt8]) throws(Failure) -> OpenFile {
    let file = try unnamed()
    if let failed = bytes.withUnsafeBytes({ file.append($0) }) {
      throw Failure(.localIO, "cannot write a temporary file: \(SystemMessages.reason(failed))")
    }
    return file
  }

  /// Reads everything from the present position on into an unnamed file.
  ///
  /// - Parameters:
  ///   - shownName: of the list, for errors.
  ///   - mostBytes: a longer list is refused.
  func unnamedCopy(
    _ shownName: String, mostBytes: Int = .max, _ patience: ListPatience = ListPatience()
  ) throws(Failure) -> OpenFile {
    let copy = try OpenFile.unnamed()
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var byteCount = 0
    // The writer of a pipe may take its time, and the run ends in its usual way then, too.
    let signals = SignalWatch(patience.signals)
    defer { signals.release() }
    while true {
      try waitForBytes(hearing: signals, until: patience.deadline)
      let got = read(descriptor, &buffer, buffer.count)
      if got < 0, errno == EINTR || errno == EAGAIN { continue }
      if got == 0 { return copy }
      var failed: Int32? = got < 0 ? errno : nil
      if got > 0 { failed = buffer.withUnsafeBytes { copy.append(UnsafeRawBufferPointer(rebasing: $0[..<got])) } }
      if let failed {
        throw Failure(
          .localIO, "cannot copy the list \(shownName) to a temporary file: \(SystemMessages.reason(failed))")
      }
      byteCount += got
      if byteCount > mostBytes { throw SignatureMessages.tooLong(shownName, mostBytes: mostBytes) }
    }
  }

  /// Waits until there is something to read, or the writer of a pipe has gone.
  private func waitForBytes(hearing signals: SignalWatch, until deadline: RunDeadline?) throws(Failure) {
    while true {
      if deadline?.hasPassed ?? false { throw Failure(.runDeadline) }
      guard signals.wait(for: descriptor, .readable, within: deadline == nil ? nil : .milliseconds(100)) else {
        throw Failure(.signal(signals.ending ?? SIGTERM))
      }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 0) != 0 { return }
    }
  }

  /// Writes at the end of an unnamed file.
  ///
  /// - Returns: an errno; nil on success.
  func append(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    var rest = bytes
    while !rest.isEmpty {
      let put = write(descriptor, rest.baseAddress!, rest.count)
      if put < 0, errno == EINTR { continue }
      if put < 0 { return errno }
      if put == 0 { return EIO }
      rest = UnsafeRawBufferPointer(rebasing: rest[put...])
    }
    return nil
  }

  /// Gives access to the bytes of an unnamed file, which no other process changes, without reading them into memory.
  ///
  /// - Throws: where the file cannot be mapped, or what `body` throws.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let byteCount = stat(of: descriptor)?.st_size ?? 0
    // An empty mapping is an error.
    if byteCount == 0 { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let start = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0)
    // MAP_FAILED, a macro that Swift cannot import.
    guard let start, Int(bitPattern: start) != -1 else {
      throw Failure(.localIO, "cannot map a temporary file into memory: \(SystemMessages.reason(errno))")
    }
    defer { munmap(start, byteCount) }
    return try body(UnsafeRawBufferPointer(start: start, count: byteCount))
  }
}
