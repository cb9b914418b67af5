/// Why nothing of what is there is used, and the download begins at its first byte.
package enum StartOverReason: Hashable, Sendable {
  /// `--no-resume`.
  case asked
  /// Other users could write to the part file.
  case exposedPart
  /// OpenSSL does not compute a digest that has to judge the recorded bytes.
  case digestUnavailable(DigestAlgorithm)
  case nothingRecorded
  /// What is recorded has this content coding, whose ranges servers do not serve.
  case coded(String)
  /// The part file belongs to a content with another digest.
  case otherDigest
  /// The sidecar names no mirror.
  case noSource
  /// The part file belongs to another URL.
  case otherURL
  /// The server named nothing by which the version could be told from another one.
  case noVersion
  /// What is recorded came from several mirrors, and nothing shows any more that they had one version.
  case severalMirrors
  /// The file on the server changed.
  case changed(VersionChange)
  /// The mirror that is named first has another version.
  case firstMirrorDiffers(Location)
}
