package import DownloadCore

/// A file of a manifest that is written.
package struct HashedFile: Hashable, Sendable {
  /// Relative to the manifest's directory, with slashes between components; raw bytes.
  package var name: [UInt8]
  /// Bytes.
  package var length: Int64
  /// One for each algorithm of the manifest, in their order.
  package var digests: [ContentDigest]
  package var pieces: PieceHashes?

  package init(name: [UInt8], length: Int64, digests: [ContentDigest], pieces: PieceHashes? = nil) {
    self.name = name
    self.length = length
    self.digests = digests
    self.pieces = pieces
  }
}

/// How files are divided into pieces.
package enum PieceLength {
  /// Files of this length and shorter ones have no pieces. Bytes.
  package static let leastFileLength: Int64 = 4 << 20
  private static let least: Int64 = 1 << 20
  private static let mostPieces: Int64 = 2048

  /// The length of the pieces of a file: the least power of two from 1 MiB on by which there are at most 2048 of them.
  ///
  /// - Returns: nil for a file without pieces.
  package static func of(fileLength: Int64) -> Int64? {
    guard fileLength > leastFileLength else { return nil }
    var length = least
    while (fileLength - 1) / length >= mostPieces { length *= 2 }
    return length
  }
}

/// The text of a manifest, one entry after the other.
package protocol ManifestWriter {
  /// What stands before the first entry.
  var beginning: [UInt8] { get }
  /// - Parameter file: its name is one that `WrittenFormat.refusal(of:)` allows.
  mutating func append(_ file: HashedFile, to text: inout [UInt8])
  /// What stands behind the last entry.
  var end: [UInt8] { get }
}
