internal import DownloadCompression
internal import DownloadCore
internal import DownloadWords

/// The text of a list: the bytes of a `ListFile`, decompressed if they are compressed, in UTF-8 if they are UTF-16.
///
/// It can rewind as the file can. The file compares the compressed bytes of the second pass with those of the first.
final class ListText {
  private let file: ListFile
  /// The form of the file; nil if it is not compressed.
  let compression: CompressionFormat?
  private var decompressor: Decompressor?
  /// What the decompressor has not read yet, in the file's block.
  private var compressed = UnsafeRawBufferPointer(start: nil, count: 0)
  private var hasFileEnded = false
  /// Holds decompressed text. Empty if the file is not compressed.
  private let block: UnsafeMutableRawBufferPointer

  /// Decodes UTF-16 from its beginning; nil for other texts.
  private var decoderAtStart: UTF16Decoder?
  private var decoder: UTF16Decoder?
  /// Holds the decoded text. Empty if there is no decoder.
  private var decoded = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  private static let blockByteCount = 256 << 10

  /// - Throws: where the file cannot be read.
  package init(_ file: ListFile) throws(Failure) {
    self.file = file
    compression = CompressionFormat(
      beginning: try file.beginning(byteCount: CompressionFormat.signatureByteCount))
    block = .allocate(byteCount: compression == nil ? 0 : Self.blockByteCount, alignment: 1)
    decoderAtStart = UTF16Decoder(beginning: try beginning(byteCount: UTF16Decoder.beginningByteCount))
    decoder = decoderAtStart
    // Two bytes become three at most, and those of the block before may complete a character.
    if decoder != nil { decoded = .allocate(byteCount: Self.blockByteCount / 2 * 3 + 4, alignment: 1) }
  }

  deinit {
    block.deallocate()
    decoded.deallocate()
  }

  /// Starts over at the first block.
  func rewind() {
    file.rewind()
    decompressor = nil
    decoder = decoderAtStart
    hasFileEnded = false
    compressed = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Returns the first bytes, to detect the format. Call it before `nextBlock`; it rewinds.
  ///
  /// - Throws: as `nextBlock`.
  func beginning(byteCount: Int) throws(Failure) -> [UInt8] {
    defer { rewind() }
    return Array((try nextBlock() ?? UnsafeRawBufferPointer(start: nil, count: 0)).prefix(byteCount))
  }

  /// Returns the next bytes of the text, valid until the next call; nil at its end.
  ///
  /// - Throws: a usage error where the compressed data is not intact; another one where the file cannot be read or has
  ///   changed since the first pass.
  func nextBlock() throws(Failure) -> UnsafeRawBufferPointer? {
    guard decoder != nil else { return try nextUndecodedBlock() }
    var text: [UInt8] = []
    // A block may have too little for a character.
    while text.isEmpty {
      guard let bytes = try nextUndecodedBlock() else {
        do { try decoder?.end() } catch { throw malformedText }
        return nil
      }
      do { try decoder?.decode(bytes, into: &text) } catch { throw malformedText }
    }
    decoded.copyBytes(from: text)
    return UnsafeRawBufferPointer(rebasing: decoded[..<text.count])
  }

  private var malformedText: Failure { Failure(.malformedUTF16, of: "the list \(file.shownName)") }

  private func nextUndecodedBlock() throws(Failure) -> UnsafeRawBufferPointer? {
    guard let compression else { return try file.nextBlock() }
    var filled = 0
    while filled < block.count {
      if compressed.isEmpty, !hasFileEnded {
        if let next = try file.nextBlock() { compressed = next } else { hasFileEnded = true }
      }
      do throws(DecompressionError) {
        filled += try decompress(compression, into: UnsafeMutableRawBufferPointer(rebasing: block[filled...]))
      } catch {
        throw Failure(
          .usage, "the list \(file.shownName): \(CompressionMessages.message(error, compression))",
          hint: CompressionMessages.hint(error))
      }
      if hasFileEnded { break }
    }
    return filled == 0 ? nil : UnsafeRawBufferPointer(rebasing: block[..<filled])
  }

  private func decompress(
    _ compression: CompressionFormat, into room: UnsafeMutableRawBufferPointer
  ) throws(DecompressionError) -> Int {
    let current: Decompressor
    if let decompressor { current = decompressor } else { current = try Decompressor(compression) }
    decompressor = current
    let count = try current.decompress(&compressed, into: room)
    // A full block may be followed by another one.
    if hasFileEnded, count < room.count { try current.end() }
    return count
  }
}
