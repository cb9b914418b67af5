/// The part of a list by which its format is known.
package enum ListBeginning {
  /// Bytes that are looked at.
  package static let byteCount = 64 << 10

  /// The bytes that are looked at, without a byte order mark.
  static func bytes(of beginning: some Collection<UInt8>) -> ArraySlice<UInt8> {
    ByteOrderMark.removed(from: Array(beginning.prefix(byteCount))[...])
  }
}
