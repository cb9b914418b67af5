internal import DownloadCore

/// Public keys in the form that gpgv reads: packets of RFC 9580, or the keybox of GnuPG.
package struct OpenPGPKeyring: Hashable, Sendable {
  package let bytes: [UInt8]

  /// - Parameter bytes: a file of keys, in binary or with ASCII armor.
  /// - Throws: `unknownForm` where it is no file of OpenPGP.
  init(file bytes: [UInt8]) throws(KeyFault) {
    if bytes.dropFirst(8).starts(with: Self.keyboxMark) {
      self.bytes = bytes
      return
    }
    if let first = bytes.first, first & 0x80 != 0 {
      try Self.requirePublicKey(first)
      self.bytes = bytes
      return
    }
    self.bytes = try Self.withoutArmor(bytes)
  }

  private static let keyboxMark = Array("KBXf".utf8)

  /// The kind of a packet is in its first byte (RFC 9580 section 4.2).
  static func packetKind(_ first: UInt8) -> UInt8 { first & 0x40 == 0 ? first >> 2 & 0xf : first & 0x3f }

  /// The kinds of packets that files begin with (RFC 9580 section 5).
  static let signatureKind: UInt8 = 2
  private static let secretKeyKind: UInt8 = 5
  private static let publicKeyKind: UInt8 = 6

  private static func requirePublicKey(_ first: UInt8) throws(KeyFault) {
    switch packetKind(first) {
    case publicKeyKind: return
    case secretKeyKind: throw .secretKey
    case signatureKind: throw .signature
    default: throw .unknownForm
    }
  }

  // MARK: ASCII armor (RFC 9580 section 6)

  private static let dashes = Array("-----".utf8)
  private static let begin = Array("-----BEGIN PGP PUBLIC KEY BLOCK-----".utf8)
  private static let end = Array("-----END PGP PUBLIC KEY BLOCK-----".utf8)
  private static let secretBegin = Array("-----BEGIN PGP PRIVATE KEY BLOCK-----".utf8)
  private static let otherBegin = Array("-----BEGIN PGP ".utf8)

  /// The packets of all blocks. Text around the blocks is passed over, and so is the checksum, as section 6.1 asks.
  private static func withoutArmor(_ text: [UInt8]) throws(KeyFault) -> [UInt8] {
    var lines = TextLines(text[...])
    var keys: [UInt8] = []
    var hasOther = false
    while let line = lines.nextTrimmed() {
      if line.elementsEqual(begin) {
        keys += try block(&lines)
      } else if line.elementsEqual(secretBegin) {
        throw .secretKey
      } else if line.starts(with: otherBegin) {
        hasOther = true
      }
    }
    if keys.isEmpty { throw hasOther ? .signature : .unknownForm }
    return keys
  }

  private static func block(_ lines: inout TextLines) throws(KeyFault) -> [UInt8] {
    // Headers end with an empty line.
    repeat {
      guard let line = lines.nextTrimmed() else { throw .damaged }
      if line.isEmpty { break }
      if line.starts(with: dashes) { throw .damaged }
    } while true
    var text: [UInt8] = []
    while let line = lines.nextTrimmed() {
      if line.elementsEqual(end) {
        guard let key = Base64.decode(text), let first = key.first, first & 0x80 != 0 else { throw .damaged }
        try requirePublicKey(first)
        return key
      }
      // The checksum of the block.
      if line.first != UInt8(ascii: "=") { text += line }
    }
    throw .damaged
  }
}
