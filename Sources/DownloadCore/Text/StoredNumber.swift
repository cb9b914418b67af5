// Numbers as bytes of a `ByteStore`, the lowest byte first.

extension UInt32 {
  static let byteCount = 4

  var bytes: [UInt8] { (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }

  /// Reads `bytes`.
  init(in bytes: ArraySlice<UInt8>, at start: Int) {
    self = 0
    for index in 0..<Self.byteCount { self |= UInt32(bytes[start + index]) << (index * 8) }
  }
}
