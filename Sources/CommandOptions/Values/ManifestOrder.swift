package import DownloadCore
package import DownloadListWriting
package import DownloadLists

/// A manifest to be written, as the command line describes it (`--write-manifest`).
package struct ManifestOrder: Sendable, Equatable {
  package var format: WrittenFormat
  /// The path of the directory whose files are hashed.
  package var directory: [UInt8]
  /// The path of the manifest, or of a bag; nil for standard output, or for a bag that the directory becomes.
  package var output: [UInt8]?
  /// The raw URL below which readers find the files.
  package var baseURL: [UInt8]?
  /// At least one, none twice.
  package var algorithms: [DigestAlgorithm] = [.sha256]
  /// Whether the directory becomes the bag.
  package var isInPlace = false
  package var isQuiet = false
  package var log = LogOptions()
  package var syncs = true

  package init(format: WrittenFormat, directory: [UInt8]) {
    self.format = format
    self.directory = directory
  }
}
