import TestSupport
import Testing

@testable import DownloadCompression

@Suite struct `Compressed data` {
  /// Compressible, with repetitions, and longer than the buffers of the tests.
  private static let content = (0..<3000).flatMap { Array("\($0 * $0 % 977) line of a list\n".utf8) }

  @Test(arguments: Compressor.allCases)
  func `is recognized by its first bytes`(compressor: Compressor) {
    for content in [[], Self.content] {
      let bytes = compressor.compressed(content)
      #expect(CompressionFormat(beginning: bytes.prefix(6)) == compressor.format)
      for count in 0..<2 { #expect(CompressionFormat(beginning: bytes.prefix(count)) == nil) }
    }
  }

  @Test(arguments: ["https://example.org/\n", "(µ/ý", "\u{feff}x", "PK\u{3}\u{4}", "{\"a\": 1}", "7zXZ", "P*M"])
  func `is not taken for other data`(text: String) {
    #expect(CompressionFormat(beginning: Array(text.utf8)) == nil)
  }

  @Test(arguments: Compressor.allCases, [1, 2, 7, 100, 4096, 1 << 20])
  func `gives its content in any parts and any room`(compressor: Compressor, size: Int) {
    let bytes = compressor.compressed(Self.content)
    #expect(Decompressed(compressor.format, bytes, splits: [size]).content == Self.content)
    let result = Decompressed(compressor.format, bytes, room: size)
    #expect(result.content == Self.content && result.error == nil)
  }

  /// The output buffer is full exactly when the content ends.
  @Test(arguments: Compressor.allCases, [1, 3, 4096])
  func `may end with a full buffer`(compressor: Compressor, room: Int) {
    let content = Array(Self.content.prefix(4096 * 3))
    let bytes = compressor.compressed(content)
    for splits in [[Int.max], [1]] {
      let result = Decompressed(compressor.format, bytes, splits: splits, room: room)
      #expect(result.content == content && result.error == nil, "\(splits)")
    }
  }

  @Test(arguments: Compressor.allCases)
  func `of several members is one content`(compressor: Compressor) {
    let parts = [Array("one\n".utf8), [], Self.content, Array("end".utf8), []]
    let bytes = parts.flatMap { compressor.compressed($0) }
    for splits in [[Int.max], [1], [bytes.count / 2], [5, 1, 300]] {
      let result = Decompressed(compressor.format, bytes, splits: splits, room: 100)
      #expect(result.content == parts.flatMap { $0 } && result.error == nil, "\(splits)")
    }
  }

  @Test func `may begin with a zstd frame without content`() {
    let frame: [UInt8] = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let bytes = frame + Compressor.zstd.compressed("x\n") + frame
    #expect(CompressionFormat(beginning: bytes) == .zstd)
    let result = Decompressed(.zstd, bytes, splits: [1])
    #expect(result.content == Array("x\n".utf8) && result.error == nil)
  }

  @Test(arguments: Compressor.allCases)
  func `that is cut anywhere is truncated`(compressor: Compressor) {
    let content = Array(Self.content.prefix(2000))
    let bytes = compressor.compressed(content)
    for count in 0..<bytes.count {
      let result = Decompressed(compressor.format, Array(bytes.prefix(count)), splits: [count / 2 + 1])
      #expect(result.error == .truncated && content.starts(with: result.content), "\(count) bytes")
    }
  }

  @Test(arguments: Compressor.allCases)
  func `whose second member is cut is truncated`(compressor: Compressor) {
    let first = compressor.compressed("one\n")
    let bytes = first + compressor.compressed("two\n")
    for count in first.count + 1..<bytes.count {
      let result = Decompressed(compressor.format, Array(bytes.prefix(count)))
      // Of a cut beginning it is not known what it would have been; xz tells it from padding.
      #expect(result.error != nil && result.content.starts(with: "one\n".utf8), "\(count) bytes")
    }
  }

  @Test(arguments: Compressor.allCases)
  func `with a wrong byte is damaged`(compressor: Compressor) {
    var bytes = compressor.compressed(Self.content)
    bytes[bytes.count / 2] ^= 0xff
    #expect(Decompressed(compressor.format, bytes).error == .damaged)
  }

  /// The libraries compare the checksums of the content.
  @Test(arguments: Compressor.allCases)
  func `with a wrong checksum is damaged`(compressor: Compressor) {
    var bytes = compressor.compressed("content\n")
    switch compressor {
    case .gzip: bytes[bytes.count - 8] ^= 1
    // Before the index (8 bytes here) and the footer (12 bytes).
    case .xz: bytes[bytes.count - 24] ^= 1
    case .zstd: bytes[bytes.count - 1] ^= 1
    }
    #expect(Decompressed(compressor.format, bytes).error == .damaged)
  }

  @Test(arguments: Compressor.allCases)
  func `with other bytes behind it is refused`(compressor: Compressor) {
    for splits in [[Int.max], [1]] {
      let bytes = compressor.compressed("one\n") + Array("https://example.org/\n".utf8)
      let result = Decompressed(compressor.format, bytes, splits: splits)
      #expect(result.error == (compressor == .xz ? .damaged : .trailingBytes), "\(splits)")
      // What comes out before an error depends on the parts.
      #expect("one\n".utf8.starts(with: result.content))
    }
  }

  @Test func `may be padded with zeros`() {
    for (compressor, count) in [(Compressor.gzip, 1), (.gzip, 511), (.xz, 4), (.xz, 4096)] {
      let zeros = [UInt8](repeating: 0, count: count)
      for splits in [[Int.max], [1]] {
        let result = Decompressed(compressor.format, compressor.compressed("one\n") + zeros, splits: splits)
        #expect(result.content == Array("one\n".utf8) && result.error == nil, "\(compressor) \(count)")
      }
    }
    // Padding of xz is a multiple of four bytes, and a stream may follow it.
    #expect(Decompressed(.xz, Compressor.xz.compressed("one\n") + [0, 0, 0]).error == .damaged)
    let streams = Compressor.xz.compressed("one\n") + [0, 0, 0, 0] + Compressor.xz.compressed("two\n")
    #expect(Decompressed(.xz, streams).content == Array("one\ntwo\n".utf8))
    // In gzip nothing follows it.
    let members = Compressor.gzip.compressed("one\n") + [0] + Compressor.gzip.compressed("two\n")
    for splits in [[Int.max], [1]] {
      #expect(Decompressed(.gzip, members, splits: splits).error == .trailingBytes)
    }
    #expect(Decompressed(.zstd, Compressor.zstd.compressed("one\n") + [0, 0, 0, 0]).error == .trailingBytes)
  }

  /// libzstd would take a frame for the content although it begins within the header of another one.
  @Test func `with a frame within the header of another one is damaged`() {
    let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    let bytes = magic + [0x24] + Compressor.zstd.compressed("")
    // A byte, and what looks like a frame of zstd 0.5.
    let old = [magic[0], 0x25] + magic[1...] + [0x24, 0x16]
    for first in 1...6 {
      #expect(Decompressed(.zstd, bytes, splits: [first, .max]).error == .damaged, "\(first)")
      #expect(Decompressed(.zstd, old, splits: [first, .max]).error == .trailingBytes, "\(first)")
    }
  }

  @Test func `is not read any further after an error`() throws {
    let decompressor = try Decompressor(.gzip)
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    defer { output.deallocate() }
    // Alone, zeros would be padding.
    for bytes in [Compressor.gzip.compressed("one\n") + [1], [0]] {
      #expect(throws: DecompressionError.trailingBytes) {
        try bytes.withUnsafeBytes { bytes in
          var input = bytes
          while !input.isEmpty { _ = try decompressor.decompress(&input, into: output) }
        }
      }
    }
    #expect(throws: DecompressionError.trailingBytes) { try decompressor.end() }
  }

  @Test(arguments: [Compressor.xz, .zstd])
  func `that needs too much memory is refused`(compressor: Compressor) throws {
    let bytes = try #require(compressor.needingMuchMemory)
    #expect(Decompressed(compressor.format, bytes).error == .needsTooMuchMemory)
  }

  @Test(arguments: Compressor.allCases)
  func `that grows without measure is given in parts`(compressor: Compressor) {
    let zeros = [UInt8](repeating: 0, count: 64 << 20)
    let bytes = compressor.compressed(zeros)
    #expect(bytes.count < zeros.count / 500)
    let result = Decompressed(compressor.format, bytes, room: 256 << 10, most: 1 << 20)
    #expect(result.content.count == 1 << 20 && result.error == nil)
  }
}
