// Numbers as bytes, the lowest byte first.

extension FixedWidthInteger {
  package static var byteCount: Int { bitWidth / UInt8.bitWidth }

  package var bytes: [UInt8] {
    (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: self >> ($0 * UInt8.bitWidth)) }
  }

  /// Reads `bytes`, all of which must be there.
  package init(in bytes: ArraySlice<UInt8>, at start: Int) {
    self = 0
    for index in 0..<Self.byteCount {
      self |= Self(truncatingIfNeeded: bytes[start + index]) << (index * UInt8.bitWidth)
    }
  }
}
