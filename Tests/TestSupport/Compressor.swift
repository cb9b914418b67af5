internal import CSwiftGetLzma
internal import CSwiftGetZlib
internal import CSwiftGetZstd

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
    // zlib remembers its address.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer { stream.deallocate() }
    // The gzip format is 16 more than the window (zlib.h, deflateInit2).
    let began = deflateInit2_(
      stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(began == Z_OK)
    defer { deflateEnd(stream) }
    var content = content
    var result = [UInt8](repeating: 0, count: Int(deflateBound(stream, UInt(content.count))))
    content.withUnsafeMutableBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        stream.pointee.next_in = source.baseAddress
        stream.pointee.avail_in = UInt32(source.count)
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = UInt32(target.count)
        precondition(deflate(stream, Z_FINISH) == Z_STREAM_END)
      }
    }
    return Array(result.dropLast(Int(stream.pointee.avail_out)))
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
      // The first block's header is behind the 12 bytes of the stream's: its length, flags, the filter LZMA2 with the
      // size of its dictionary, and a CRC-32 (The .xz File Format, sections 3.1 and 5.3.1).
      var bytes = compressed("x\n")
      let end = 12 + Int(bytes[12]) * 4
      let filter = (14..<end).first { bytes[$0] == 0x21 && bytes[$0 + 1] == 1 }!
      bytes[filter + 2] = 32
      let crc = lzma_crc32(Array(bytes[12..<end]), end - 12, 0)
      for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: crc >> UInt32(8 * index)) }
      return bytes
    case .zstd:
      // A window of 2^(10 + 18) bytes and an empty block (RFC 8878 section 3.1.1).
      return [0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 0x01, 0x00, 0x00]
    }
  }
}
