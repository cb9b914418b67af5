package import DownloadCore
internal import DownloadWords

/// What `--check` finds out about a bag besides the results of its listed files.
package enum BagFinding: Equatable {
  /// A file below the payload directory that no payload manifest lists.
  case unlisted([UInt8])
  /// The place is the bag, or a file of it and perhaps a line, as messages show them.
  case contradiction(place: String, BagContradiction)
}

/// What makes a bag invalid, whatever its files hold.
package enum BagContradiction: Equatable {
  case noPayloadDirectory
  case oxum(stated: PayloadOxum, found: PayloadOxum)
  /// The name of an algorithm by which nothing can be verified.
  case unknownAlgorithm(String)
}

extension BagMessages {
  /// The text after the file and a colon.
  package static func message(_ contradiction: BagContradiction) -> String {
    switch contradiction {
    case .noPayloadDirectory: "the bag has no directory data"
    case .oxum(let stated, let found): "Payload-Oxum is \(stated.text), but the payload has \(found.text)"
    case .unknownAlgorithm(let name): "not verified: the algorithm '\(Diagnostic.escaped(name))' is not known"
    }
  }
}
