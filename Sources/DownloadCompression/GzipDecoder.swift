internal import CSwiftGetZlib

/// Drives zlib, member by member. Zeros after the last member are padding, as gzip(1) has it.
///
/// member ⇄ between ──zero──► padding
final class GzipDecoder: Decoder {
  private enum State {
    /// Within a member.
    case member
    /// A member has ended, and another one may follow.
    case between
    /// Only zeros may follow.
    case padding
  }

  /// zlib remembers its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var state = State.member

  /// The largest window, and the gzip format only (zlib.h, inflateInit2).
  private static let windowBits = MAX_WBITS + 16
  /// The first byte of a member.
  private static let firstByte: UInt8 = 0x1f

  init() throws(DecompressionError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // `deinit` runs from here on, and zlib accepts a stream that it has not initialized.
    guard result == Z_OK else { throw .noMemory }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecompressionError) -> Int {
    var filled = 0
    while true {
      guard try beginMember(&input) else { return filled }
      let given = min(input.count, Int(UInt32.max))
      let room = min(output.count - filled, Int(UInt32.max))
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
      stream.pointee.avail_in = UInt32(given)
      stream.pointee.next_out = output.baseAddress!.assumingMemoryBound(to: Bytef.self) + filled
      stream.pointee.avail_out = UInt32(room)
      let result = inflate(stream, Z_NO_FLUSH)
      input = UnsafeRawBufferPointer(rebasing: input[(given - Int(stream.pointee.avail_in))...])
      filled += room - Int(stream.pointee.avail_out)
      switch result {
      case Z_STREAM_END: state = .between
      case Z_OK: if input.isEmpty || filled == output.count { return filled }
      // There was nothing to read, or no room.
      case Z_BUF_ERROR: return filled
      case Z_MEM_ERROR: throw .noMemory
      default: throw .damaged
      }
    }
  }

  /// Skips padding, and has zlib begin the next member where one follows.
  /// - Returns: whether there is a member to read.
  private func beginMember(_ input: inout UnsafeRawBufferPointer) throws(DecompressionError) -> Bool {
    if state == .member { return true }
    guard let first = input.first else { return false }
    if state == .between, first == Self.firstByte {
      inflateReset(stream)
      state = .member
      return true
    }
    state = .padding
    guard input.allSatisfy({ $0 == 0 }) else { throw .trailingBytes }
    input = UnsafeRawBufferPointer(rebasing: input[input.count...])
    return false
  }

  func end() throws(DecompressionError) {
    if state == .member { throw .truncated }
  }
}
