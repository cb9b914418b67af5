/// A form in which a list may be compressed. It is recognized by its first bytes, never by a name.
package enum CompressionFormat: String, CaseIterable, Sendable {
  /// RFC 1952.
  case gzip
  /// The .xz file format, version 1.2.0.
  case xz
  /// RFC 8878.
  case zstd

  /// The bytes by which the formats are told apart.
  package static let signatureByteCount = 6

  /// - Parameter beginning: the first `signatureByteCount` bytes, or all if there are fewer.
  /// - Returns: nil where they are not those of a compressed file.
  package init?(beginning: some Collection<UInt8>) {
    if beginning.starts(with: [0x1f, 0x8b]) {
      self = .gzip
    } else if beginning.starts(with: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) {
      self = .xz
    } else if beginning.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) || Self.isSkippableFrame(beginning) {
      self = .zstd
    } else {
      return nil
    }
  }

  /// Parallel compressors begin with a frame without content (RFC 8878 section 3.1.2).
  private static func isSkippableFrame(_ beginning: some Collection<UInt8>) -> Bool {
    guard let first = beginning.first, first & 0xf0 == 0x50 else { return false }
    return beginning.dropFirst().starts(with: [0x2a, 0x4d, 0x18])
  }

  /// The usual end of a compressed file's name, with its dot.
  package var suffix: String {
    switch self {
    case .gzip: ".gz"
    case .xz: ".xz"
    case .zstd: ".zst"
    }
  }
}
