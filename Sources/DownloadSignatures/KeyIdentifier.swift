import DownloadCore

/// The identifier of an Ed25519 key, which its signatures repeat: 8 random bytes, the key number of signify.
package struct KeyIdentifier: Hashable, Sendable {
  package let bytes: [UInt8]

  init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == 8)
    self.bytes = Array(bytes)
  }

  /// 16 hexadecimal digits as minisign prints them: the bytes are a little-endian number.
  package var text: String { Hexadecimal.text(bytes.reversed()).uppercased() }
}
