// Numbers as bytes, the lowest byte first.

extension FixedWidthInteger {
  package static var byteCount: Int { bitWidth / UInt8.bitWidth }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: self)
    return bytes
  }

  /// Reads `bytes`, all of which must be there.
  package init(in bytes: ArraySlice<UInt8>, at start: Int) {
    self = 0
    for index in 0..<Self.byteCount {
      self |= Self(truncatingIfNeeded: bytes[start + index]) << (index * UInt8.bitWidth)
    }
  }
}

extension [UInt8] {
  package mutating func append<Number: FixedWidthInteger>(number: Number) {
    for index in 0..<Number.byteCount { append(UInt8(truncatingIfNeeded: number >> (index * UInt8.bitWidth))) }
  }
}
