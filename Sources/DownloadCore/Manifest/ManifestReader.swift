/// Reads a list line by line and returns one entry at a time. Holds no other part of the list.
///
/// The caller splits the list into lines. It may go on after an error: the reader drops an entry with an invalid line,
/// because that line may be its checksum.
package struct ManifestReader: Sendable {
  /// Longer lines are an error. Bytes.
  package static let maximumLineByteCount = 64 << 10
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private let format: ManifestFormat
  private var urls = Aria2ListParser()
  private var checksums: ChecksumListParser
  private var lineNumber = 0

  /// - Parameter defaultAlgorithm: the algorithm that the name of a checksum list states (`B2SUMS`), for digests of
  ///   that length without a named algorithm. Otherwise the length selects MD5, SHA-1 or SHA-2.
  package init(format: ManifestFormat, defaultAlgorithm: DigestAlgorithm? = nil) {
    self.format = format
    checksums = ChecksumListParser(defaultAlgorithm: defaultAlgorithm)
  }

  /// Takes the next line without its line feed, and returns the entry that it completes: its own in a checksum list,
  /// the previous one in a URL list, where an entry may span several lines.
  package mutating func line(_ bytes: UnsafeRawBufferPointer) throws(ManifestError) -> ManifestEntry? {
    lineNumber += 1
    do throws(ListProblem) {
      let line = try text(of: bytes)
      switch format {
      case .urlList, .aria2: return try urls.take(line, lineNumber: lineNumber)
      case .checksums: return try checksums.take(line, lineNumber: lineNumber)
      }
    } catch {
      throw ManifestError(lineNumber: lineNumber, error)
    }
  }

  /// Call it after the last line. Returns the last entry of a URL list.
  package mutating func finish() throws(ManifestError) -> ManifestEntry? {
    do throws(ListProblem) {
      try checksums.finish()
    } catch {
      throw ManifestError(lineNumber: lineNumber, error)
    }
    return urls.finish()
  }

  /// The line without a byte order mark and a final carriage return.
  private func text(of bytes: UnsafeRawBufferPointer) throws(ListProblem) -> ArraySlice<UInt8> {
    if bytes.count > Self.maximumLineByteCount {
      throw .lineTooLong
    }
    var line = Array(bytes)[...]
    if lineNumber == 1 {
      if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
      if line.starts(with: [0xff, 0xfe]) || line.starts(with: [0xfe, 0xff]) {
        throw .utf16
      }
    }
    if line.last == 0x0d { line = line.dropLast() }
    if line.contains(0) {
      throw .nulByte
    }
    return line
  }
}
