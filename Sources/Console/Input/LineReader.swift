package import DownloadCore
import Glibc

/// Reads a list line by line, a block at a time, and can begin again: a list is read twice and never held.
///
/// What is read again has to be what was read before: a list that somebody changed meanwhile would bring requests that
/// nobody has checked, or leave some out. So a hash of every block is kept, and compared before its lines are handed out.
package final class LineReader {
  private let descriptor: Int32
  private let closes: Bool
  /// The list's name as messages show it.
  private let shownName: String
  private let block: UnsafeMutableRawBufferPointer
  /// Bytes of the block that are filled, and where the next line begins in it.
  private var filled = 0
  private var start = 0
  private var isAtEnd = false
  /// How much of the list has been read since its beginning: bytes, and times that the block was filled.
  private var offset = 0
  private var fillCount = 0
  /// Of what came each time that the block was filled: 8 bytes for each 256 KiB of the list.
  private var hashes: [Int] = []

  private static let blockByteCount = 256 << 10

  /// - Parameter path: `-` reads standard input, which is copied to an unnamed file first where it cannot be read twice.
  package init(path: [UInt8]) throws(DownloadError) {
    if path == [UInt8(ascii: "-")] {
      shownName = "from standard input"
      descriptor = try Self.rereadable(STDIN_FILENO, shownName)
      closes = descriptor != STDIN_FILENO
      block = .allocate(byteCount: Self.blockByteCount, alignment: 1)
      return
    }
    shownName = Diagnostic.escaped(Redaction.name(path))
    let opened = (path + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    }
    guard opened >= 0 else {
      throw DownloadError(
        .usage, "cannot open the list \(Diagnostic.escaped(Redaction.argument(path))): \(Self.reason(errno))",
        hint: "name an existing file, or - for standard input")
    }
    var status = stat()
    fstat(opened, &status)
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw DownloadError(.usage, "the list \(shownName) is a directory")
    }
    // A pipe or a process substitution can be read once only.
    if status.st_mode & S_IFMT == S_IFREG {
      descriptor = opened
    } else {
      let copied = Result { [shownName] () throws(DownloadError) in try Self.rereadable(opened, shownName) }
      close(opened)
      descriptor = try copied.get()
    }
    closes = true
    // Last, for a reader that was not made frees nothing.
    block = .allocate(byteCount: Self.blockByteCount, alignment: 1)
  }

  deinit {
    block.deallocate()
    if closes { close(descriptor) }
  }

  /// Begins again at the first line.
  package func rewind() {
    filled = 0
    start = 0
    isAtEnd = false
    offset = 0
    fillCount = 0
  }

  /// The first bytes, for telling the format; to be called at the beginning, and begins again afterwards.
  ///
  /// - Throws: where the list cannot be read.
  package func beginning(byteCount: Int) throws(DownloadError) -> [UInt8] {
    defer { rewind() }
    try fill()
    return Array(block[..<min(byteCount, filled)])
  }

  /// Calls `body` with the next line, without its line feed.
  /// - Returns: nil at the end of the list.
  /// - Throws: where the list cannot be read or is not what it was, and what `body` throws.
  package func next<Value>(
    _ body: (UnsafeRawBufferPointer) throws(DownloadError) -> Value
  ) throws(DownloadError) -> Value? {
    while true {
      if let end = lineEnd() {
        defer { start = end + 1 }
        return try body(UnsafeRawBufferPointer(rebasing: block[start..<end]))
      }
      if isAtEnd {
        guard start < filled else { return nil }
        defer { start = filled }
        return try body(UnsafeRawBufferPointer(rebasing: block[start..<filled]))
      }
      try fill()
    }
  }

  private func lineEnd() -> Int? {
    guard start < filled, let base = block.baseAddress, let found = memchr(base + start, 0x0a, filled - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// Moves the unfinished line to the front and reads on behind it, until the block is full or the list ends.
  private func fill() throws(DownloadError) {
    let kept = filled - start
    if let base = block.baseAddress, start > 0, kept > 0 { memmove(base, base + start, kept) }
    start = 0
    filled = kept
    // A line that fills the block is longer than any parser takes: what is here of it is enough to refuse it.
    guard kept < block.count else {
      isAtEnd = true
      return
    }
    while filled < block.count, !isAtEnd {
      let got = pread(descriptor, block.baseAddress! + filled, block.count - filled, off_t(offset))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else {
        throw DownloadError(.localIO, "cannot read the list \(shownName): \(Self.reason(errno))")
      }
      isAtEnd = got == 0
      filled += got
      offset += got
    }
    try compare(UnsafeRawBufferPointer(rebasing: block[kept..<filled]))
  }

  private func compare(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    let hash = hasher.finalize()
    if fillCount == hashes.count { hashes.append(hash) }
    guard hashes[fillCount] == hash else {
      throw DownloadError(
        .localIO, "the list \(shownName) has changed since it was read first",
        hint: "do not change a list while a run is under way; run again")
    }
    fillCount += 1
  }

  /// The descriptor itself if it is a file, else an unnamed copy of all that comes from it.
  private static func rereadable(_ source: Int32, _ shownName: String) throws(DownloadError) -> Int32 {
    if lseek(source, 0, SEEK_CUR) == 0 {
      var status = stat()
      fstat(source, &status)
      if status.st_mode & S_IFMT == S_IFREG { return source }
    }
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(directory)/swiftget-XXXXXX".utf8CString)
    let copy = mkstemp(&template)
    guard copy >= 0 else {
      throw DownloadError(
        .localIO, "cannot make a temporary file in \(directory): \(reason(errno))",
        hint: "set TMPDIR to a directory with room")
    }
    unlink(template)
    var buffer = [UInt8](repeating: 0, count: blockByteCount)
    while true {
      let got = read(source, &buffer, buffer.count)
      if got < 0, errno == EINTR { continue }
      if got == 0 { break }
      var written = 0
      while got > 0, written < got {
        let put = buffer.withUnsafeBytes { write(copy, $0.baseAddress! + written, got - written) }
        if put < 0, errno == EINTR { continue }
        if put <= 0 { break }
        written += put
      }
      guard got > 0, written == got else {
        let cause = reason(errno)
        close(copy)
        throw DownloadError(.localIO, "cannot copy the list \(shownName) to read it twice: \(cause)")
      }
    }
    return copy
  }

  private static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }
}
