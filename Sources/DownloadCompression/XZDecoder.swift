internal import CSwiftGetLzma

/// Drives liblzma, which itself reads streams that follow one another and the padding between them.
final class XZDecoder: Decoder {
  /// liblzma holds its own state behind it.
  private let stream: UnsafeMutablePointer<lzma_stream>

  /// `LZMA_CONCATENATED`, whose macro Swift cannot read (lzma/container.h).
  private static let concatenated: UInt32 = 0x08

  /// - Parameter memoryLimit: bytes that liblzma may allocate.
  init(memoryLimit: Int) throws(DecompressionError) {
    stream = .allocate(capacity: 1)
    // All zeros are `LZMA_STREAM_INIT`.
    stream.initialize(to: lzma_stream())
    // `deinit` runs from here on, and liblzma accepts a stream that it has not initialized.
    guard lzma_stream_decoder(stream, UInt64(memoryLimit), Self.concatenated) == LZMA_OK else { throw .noMemory }
  }

  deinit {
    lzma_end(stream)
    stream.deallocate()
  }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecompressionError) -> Int {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = input.count
    stream.pointee.next_out = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = output.count
    while true {
      let result = lzma_code(stream, LZMA_RUN)
      let isDone = stream.pointee.avail_in == 0 || stream.pointee.avail_out == 0
      switch result {
      case LZMA_OK: if !isDone { continue }
      // There was nothing to read, or no room. It is no error (lzma/base.h).
      case LZMA_BUF_ERROR: break
      default: throw Self.error(result)
      }
      input = UnsafeRawBufferPointer(rebasing: input[(input.count - stream.pointee.avail_in)...])
      return output.count - stream.pointee.avail_out
    }
  }

  func end() throws(DecompressionError) {
    var room: UInt8 = 0
    let result = withUnsafeMutablePointer(to: &room) { room in
      stream.pointee.avail_in = 0
      stream.pointee.next_out = room
      stream.pointee.avail_out = 1
      // The first call that changes nothing may still say LZMA_OK.
      let result = lzma_code(stream, LZMA_FINISH)
      return result == LZMA_OK ? lzma_code(stream, LZMA_FINISH) : result
    }
    switch result {
    case LZMA_STREAM_END: return
    case LZMA_OK, LZMA_BUF_ERROR: throw .truncated
    default: throw Self.error(result)
    }
  }

  private static func error(_ result: lzma_ret) -> DecompressionError {
    switch result {
    case LZMA_MEMLIMIT_ERROR: .needsTooMuchMemory
    case LZMA_OPTIONS_ERROR: .unsupported
    case LZMA_MEM_ERROR: .noMemory
    default: .damaged
    }
  }
}
