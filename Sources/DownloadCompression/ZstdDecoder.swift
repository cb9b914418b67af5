internal import CSwiftGetZstd

/// Drives libzstd, which reads one frame after the other and skips those without content.
final class ZstdDecoder: Decoder {
  /// The longest header of a frame in bytes (RFC 8878, 3.1.1).
  private static let longestHeader = 18

  private let context: OpaquePointer
  /// Whether a frame has ended, all of its content was returned, and no other one has begun.
  private var isBetweenFrames = false
  /// Bytes of the frame that may still belong to its header.
  private var headerLeft = longestHeader

  /// - Parameter memoryLimit: the largest window, in bytes; a power of two.
  init(memoryLimit: Int) throws(DecompressionError) {
    guard let context = ZSTD_createDCtx() else { throw .noMemory }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(memoryLimit.trailingZeroBitCount))
  }

  deinit { ZSTD_freeDCtx(context) }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecompressionError) -> Int {
    // libzstd would take the empty input for the beginning of a frame.
    if input.isEmpty, isBetweenFrames { return 0 }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    repeat {
      // While libzstd reads a header, it looks for a whole frame, also one of an old version, where the input of the call
      // begins, even if that is within the header. Single bytes are never taken for one.
      let start = source.pos
      source.size = headerLeft > 0 ? min(start + 1, input.count) : input.count
      let result = ZSTD_decompressStream(context, &target, &source)
      if ZSTD_isError(result) != 0 { throw error(ZSTD_getErrorCode(result)) }
      isBetweenFrames = result == 0
      headerLeft = max(0, headerLeft - (source.pos - start))
      if isBetweenFrames { headerLeft = Self.longestHeader }
    } while source.pos < input.count && target.pos < target.size
    input = UnsafeRawBufferPointer(rebasing: input[source.pos...])
    return target.pos
  }

  func end() throws(DecompressionError) {
    if !isBetweenFrames { throw .truncated }
  }

  private func error(_ code: ZSTD_ErrorCode) -> DecompressionError {
    switch code {
    case ZSTD_error_frameParameter_windowTooLarge: .needsTooMuchMemory
    case ZSTD_error_memory_allocation: .noMemory
    case ZSTD_error_version_unsupported, ZSTD_error_frameParameter_unsupported, ZSTD_error_dictionary_wrong:
      .unsupported
    // No frame begins here, although the first one did.
    case ZSTD_error_prefix_unknown: .trailingBytes
    default: .damaged
    }
  }
}
