/// Reads a list line by line and hands out one entry at a time; nothing of the list is held but that entry.
///
/// The caller cuts the list into lines. After an error it may go on with the next line: an entry with a line that was
/// not understood does not come out, for it might lack just the checksum that makes it safe.
package struct ManifestReader: Sendable {
  /// Longer lines are an error, bytes.
  package static let maximumLineByteCount = 64 << 10
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private let format: ManifestFormat
  private var urls = URLListParser()
  private var checksums: ChecksumListParser
  private var lineNumber = 0

  /// - Parameter defaultAlgorithm: what a checksum list's name says (`B2SUMS`), for digests of that length that
  ///   stand without an algorithm; else the length decides among MD5 and the SHA-1 and SHA-2 families.
  package init(format: ManifestFormat, defaultAlgorithm: DigestAlgorithm? = nil) {
    self.format = format
    checksums = ChecksumListParser(defaultAlgorithm: defaultAlgorithm)
  }

  /// Takes the next line without its line feed, and returns the entry that it completes: the line's own in a
  /// checksum list, the one before in a URL list, whose entries may go on for several lines.
  package mutating func line(_ bytes: UnsafeRawBufferPointer) throws(ManifestError) -> ManifestEntry? {
    lineNumber += 1
    do throws(ManifestFault) {
      let line = try text(of: bytes)
      switch format {
      case .urlList, .aria2: return try urls.take(line, lineNumber: lineNumber)
      case .checksums: return try checksums.take(line, lineNumber: lineNumber)
      }
    } catch {
      throw ManifestError(lineNumber: lineNumber, reason: error.reason, hint: error.hint)
    }
  }

  /// Tells that the last line has been taken, and returns the entry that waited for it.
  package mutating func finish() throws(ManifestError) -> ManifestEntry? {
    do throws(ManifestFault) {
      try checksums.finish()
    } catch {
      throw ManifestError(lineNumber: lineNumber, reason: error.reason, hint: error.hint)
    }
    return urls.finish()
  }

  /// The line without byte order mark and carriage return.
  private func text(of bytes: UnsafeRawBufferPointer) throws(ManifestFault) -> ArraySlice<UInt8> {
    if bytes.count > Self.maximumLineByteCount {
      throw ManifestFault("the line is longer than 64 KiB", hint: "is this a list of URLs or checksums?")
    }
    var line = Array(bytes)[...]
    if lineNumber == 1 {
      if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
      if line.starts(with: [0xff, 0xfe]) || line.starts(with: [0xfe, 0xff]) {
        throw ManifestFault("the list is UTF-16 text", hint: "convert it with: iconv -f UTF-16 -t UTF-8")
      }
    }
    if line.last == 0x0d { line = line.dropLast() }
    if line.contains(0) {
      throw ManifestFault("the line contains a NUL byte", hint: "is this a text file? (UTF-16 needs iconv -t UTF-8)")
    }
    return line
  }
}
