import DownloadCore

/// What `--check` finds out about a bag besides the results of its listed files.
enum BagFinding: Equatable {
  /// A file below the payload directory that no payload manifest lists.
  case unlisted([UInt8])
  /// The place is the bag, or a file of it and perhaps a line, as messages show them.
  case contradiction(place: String, BagContradiction)
}

/// What makes a bag invalid, whatever its files hold.
enum BagContradiction: Equatable {
  case noPayloadDirectory
  case oxum(stated: PayloadOxum, found: PayloadOxum)
  /// The name of an algorithm by which nothing can be verified.
  case unknownAlgorithm(String)
}
