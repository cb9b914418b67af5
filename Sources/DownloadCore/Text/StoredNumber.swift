// Numbers as bytes, the lowest byte first.

extension FixedWidthInteger {
  package static var byteCount: Int { bitWidth / UInt8.bitWidth }

  package var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }

  /// Reads `bytes`, all of which must be there.
  @inlinable package init(in bytes: ArraySlice<UInt8>, at start: Int) {
    var number: Self = 0
    withUnsafeMutableBytes(of: &number) { $0.copyBytes(from: bytes[start..<(start + $0.count)]) }
    self.init(littleEndian: number)
  }
}

extension [UInt8] {
  @inlinable package mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
