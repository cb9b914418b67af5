internal import DownloadCore

/// A public key of minisign or signify, which have the same form: `Ed`, the identifier, the key of RFC 8032.
package struct Ed25519Key: Hashable, Sendable {
  package let identifier: KeyIdentifier
  /// 32 bytes.
  let bytes: [UInt8]

  static let byteCount = 42

  /// - Parameter bytes: the decoded line of a key; nil if it is none.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.starts(with: Ed25519Signature.plainMark) else { return nil }
    identifier = KeyIdentifier(bytes[2..<10])
    self.bytes = Array(bytes[10...])
  }

  /// Reads the text of a key: 56 characters of Base64, which begin with `RW`.
  package init?(text: some Collection<UInt8>) {
    guard let bytes = Base64.decode(text, isCanonical: true) else { return nil }
    self.init(bytes)
  }
}
