package import DownloadCore
import Glibc

/// Reads a list line by line in blocks, and can rewind: a list is read twice and never held in memory.
///
/// The second pass must read the same bytes as the first, or it would return unchecked requests or miss some. The
/// reader keeps a hash of every block and compares it before it returns the block's lines.
package final class LineReader {
  private let descriptor: Int32
  private let closes: Bool
  /// The list's name as messages show it.
  private let shownName: String
  private let block: UnsafeMutableRawBufferPointer
  /// The number of filled bytes of the block, and the offset of the next line in it.
  private var filled = 0
  private var start = 0
  private var isAtEnd = false
  /// Bytes read since the start of the list, and how often the block was filled.
  private var offset = 0
  private var fillCount = 0
  /// One hash per fill: 8 bytes per 256 KiB of the list.
  private var hashes: [Int] = []

  private static let blockByteCount = 256 << 10

  /// - Parameter path: `-` is standard input. What cannot be read twice is copied to an unnamed file first.
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
        .usage, "cannot open the list \(Diagnostic.escaped(Redaction.argument(path))): \(SystemMessages.reason(errno))",
        hint: "name an existing file, or - for standard input")
    }
    var status = stat()
    fstat(opened, &status)
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw DownloadError(.usage, "the list \(shownName) is a directory")
    }
    // A pipe or a process substitution can be read only once.
    if status.st_mode & S_IFMT == S_IFREG {
      descriptor = opened
    } else {
      let copied = Result { [shownName] () throws(DownloadError) in try Self.rereadable(opened, shownName) }
      close(opened)
      descriptor = try copied.get()
    }
    closes = true
    // Last, because `deinit` does not run if `init` throws.
    block = .allocate(byteCount: Self.blockByteCount, alignment: 1)
  }

  deinit {
    block.deallocate()
    if closes { close(descriptor) }
  }

  /// Starts over at the first line.
  package func rewind() {
    filled = 0
    start = 0
    isAtEnd = false
    offset = 0
    fillCount = 0
  }

  /// Returns the first bytes, to detect the format. Call it before `next`; it rewinds.
  ///
  /// - Throws: where the list cannot be read.
  package func beginning(byteCount: Int) throws(DownloadError) -> [UInt8] {
    defer { rewind() }
    try fill()
    return Array(block[..<min(byteCount, filled)])
  }

  /// Calls `body` with the next line, without its line feed.
  /// - Returns: nil at the end of the list.
  /// - Throws: where the list cannot be read or has changed since the first pass; the errors of `body`.
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

  /// Moves the incomplete line to the front and reads on until the block is full or the list ends.
  private func fill() throws(DownloadError) {
    let kept = filled - start
    if let base = block.baseAddress, start > 0, kept > 0 { memmove(base, base + start, kept) }
    start = 0
    filled = kept
    // A line that fills the block is longer than any parser accepts, so its beginning is enough to refuse it.
    guard kept < block.count else {
      isAtEnd = true
      return
    }
    while filled < block.count, !isAtEnd {
      let got = pread(descriptor, block.baseAddress! + filled, block.count - filled, off_t(offset))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else {
        throw DownloadError(.localIO, "cannot read the list \(shownName): \(SystemMessages.reason(errno))")
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

  /// The descriptor itself if it is a regular file at its start, else an unnamed copy of its content.
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
        .localIO, "cannot make a temporary file in \(directory): \(SystemMessages.reason(errno))",
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
        let cause = SystemMessages.reason(errno)
        close(copy)
        throw DownloadError(.localIO, "cannot copy the list \(shownName) to read it twice: \(cause)")
      }
    }
    return copy
  }
}
