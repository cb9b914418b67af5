package import DownloadCore
package import DownloadFiles

extension ExistingTarget.RegularFile {
  /// Whether the file was verified against this digest and is untouched.
  package func isVouched(for digest: ContentDigest) -> Bool { believedMark?.digest == digest }

  /// Whether the file is the complete download of this URL and untouched.
  package func isVouched(forURLHash urlHash: UInt64) -> Bool { believedMark != nil && markedURLHash == urlHash }
}
