import DownloadCore
import ManifestWriting

/// What a person reads of manifests that cannot be written.
enum ManifestMessages {
  /// The text after `--algorithm` and a colon.
  static func reason(_ refusal: AlgorithmRefusal, _ format: WrittenFormat) -> String {
    switch refusal {
    case .ambiguous(let one, let other):
      "\(one.rawValue) and \(other.rawValue) have the same length, and \(format.rawValue) lines do not tell them apart"
    case .unnamed(let algorithm): "\(format.rawValue) has no name for \(algorithm.rawValue)"
    }
  }

  static func hint(_ refusal: AlgorithmRefusal) -> String {
    switch refusal {
    case .ambiguous: "use --write-manifest bsd, whose lines name the algorithm"
    case .unnamed: "use sha256, sha512 or another one from md5 to sha512"
    }
  }

  /// The text after the name of a file and a colon.
  static func reason(_ refusal: NameRefusal, _ format: WrittenFormat) -> String {
    let what =
      switch refusal {
      case .notUTF8: "is not UTF-8"
      case .controlCharacter: "contains a control character"
      case .notXML: "contains a character that XML does not allow"
      }
    return "the name \(what), so a \(format.rawValue) manifest cannot hold it"
  }

  static let nameHint = "rename the file, or use --write-manifest gnu, which can hold any name"
}
