internal import CLzma
internal import CZlib
internal import CZstd

/// Makes compressed data, one member, stream or frame at a time.
package enum Compressor: String, CaseIterable, Sendable {
  case gzip, xz, zstd

  package func compressed(_ content: [UInt8]) -> [UInt8] {
    switch self {
    case .gzip: Self.gzip(content)
    case .xz: Self.xz(content)
    case .zstd: Self.zstd(content)
    }
  }

  package func compressed(_ text: String) -> [UInt8] { compressed(Array(text.utf8)) }

  private static func gzip(_ content: [UInt8]) -> [UInt8] {
    var content = content
    var stream = z_stream()
    // The gzip format is 16 more than the window (zlib.h, deflateInit2).
    let began = deflateInit2_(
      &stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(began == Z_OK)
    defer { deflateEnd(&stream) }
    var result = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(content.count))))
    let capacity = result.count
    content.withUnsafeMutableBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(capacity)
        precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
      }
    }
    return Array(result.prefix(capacity - Int(stream.avail_out)))
  }

  private static func xz(_ content: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: lzma_stream_buffer_bound(content.count))
    let capacity = result.count
    var count = 0
    precondition(
      lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nil, content, content.count, &result, &count, capacity) == LZMA_OK)
    return Array(result.prefix(count))
  }

  private static func zstd(_ content: [UInt8]) -> [UInt8] {
    let context = ZSTD_createCCtx()
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    var result = [UInt8](repeating: 0, count: ZSTD_compressBound(content.count))
    let capacity = result.count
    let count = ZSTD_compress2(context, &result, capacity, content, content.count)
    precondition(ZSTD_isError(count) == 0)
    return Array(result.prefix(count))
  }

  /// Data whose window needs 256 MiB; nil for gzip, whose windows are small.
  package var needingMuchMemory: [UInt8]? {
    switch self {
    case .gzip: return nil
    case .xz:
      // The first block begins behind the 12 bytes of the stream's header, its dictionary's size is the fifth byte of
      // 8, and a CRC-32 follows (The .xz File Format, sections 3.1 and 5.3.1).
      var bytes = compressed("x\n")
      precondition(bytes[12] == 2 && bytes[14] == 0x21)
      bytes[16] = 32
      let crc = lzma_crc32(Array(bytes[12..<20]), 8, 0)
      for index in 0..<4 { bytes[20 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(8 * index)) }
      return bytes
    case .zstd:
      // A window of 2^(10 + 18) bytes and an empty block (RFC 8878 section 3.1.1).
      return [0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 0x01, 0x00, 0x00]
    }
  }
}
