package import DownloadCore
import Glibc

/// Reads a list line by line, a block at a time, and can begin again: a list is read twice and never held.
package final class LineReader {
  private let descriptor: Int32
  private let closes: Bool
  private let block: UnsafeMutableRawBufferPointer
  /// Bytes of the block that are filled, and where the next line begins in it.
  private var filled = 0
  private var start = 0
  private var isAtEnd = false

  private static let blockByteCount = 256 << 10

  /// - Parameter path: `-` reads standard input, which is copied to an unnamed file first where it cannot be read twice.
  package init(path: [UInt8]) throws(DownloadError) {
    let name = String(decoding: path, as: UTF8.self)
    if path == [UInt8(ascii: "-")] {
      descriptor = try Self.rereadable(STDIN_FILENO)
      closes = descriptor != STDIN_FILENO
      block = .allocate(byteCount: Self.blockByteCount, alignment: 1)
      return
    }
    let opened = (path + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    }
    guard opened >= 0 else {
      throw DownloadError(
        .usage, "cannot open the list \(Diagnostic.escaped(name)): \(Self.reason(errno))",
        hint: "name an existing file, or - for standard input")
    }
    var status = stat()
    fstat(opened, &status)
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw DownloadError(.usage, "the list \(Diagnostic.escaped(name)) is a directory")
    }
    // A pipe or a process substitution can be read once only.
    if status.st_mode & S_IFMT == S_IFREG {
      descriptor = opened
    } else {
      let copied = Result { () throws(DownloadError) in try Self.rereadable(opened) }
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
    lseek(descriptor, 0, SEEK_SET)
    filled = 0
    start = 0
    isAtEnd = false
  }

  /// The first bytes, for telling the format; begins again afterwards.
  package func beginning(byteCount: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var count = 0
    while count < byteCount {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + count, byteCount - count, off_t(count))
      }
      if got < 0, errno == EINTR { continue }
      if got <= 0 { break }
      count += got
    }
    return Array(bytes.prefix(count))
  }

  /// Calls `body` with the next line, without its line feed.
  /// - Returns: nil at the end of the list.
  package func next<Value>(
    _ body: (UnsafeRawBufferPointer) throws(ManifestError) -> Value
  ) throws(ManifestError) -> Value? {
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
      fill()
    }
  }

  private func lineEnd() -> Int? {
    guard start < filled, let base = block.baseAddress, let found = memchr(base + start, 0x0a, filled - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// Moves the unfinished line to the front and reads on behind it.
  private func fill() {
    let kept = filled - start
    if let base = block.baseAddress, start > 0, kept > 0 { memmove(base, base + start, kept) }
    start = 0
    filled = kept
    // A line that fills the block is longer than any parser takes: what is here of it is enough to refuse it.
    guard kept < block.count else {
      isAtEnd = true
      return
    }
    while true {
      let got = read(descriptor, block.baseAddress! + kept, block.count - kept)
      if got < 0, errno == EINTR { continue }
      if got <= 0 { isAtEnd = true }
      filled = kept + max(0, got)
      return
    }
  }

  /// The descriptor itself if it is a file, else an unnamed copy of all that comes from it.
  private static func rereadable(_ source: Int32) throws(DownloadError) -> Int32 {
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
        throw DownloadError(.localIO, "cannot read the list from standard input: \(cause)")
      }
    }
    lseek(copy, 0, SEEK_SET)
    return copy
  }

  private static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }
}
