package import DownloadCore
package import DownloadListWriting
package import DownloadWords

/// What a person reads of manifests that cannot be written.
package enum ManifestMessages {
  /// The text after `--algorithm` and a colon.
  package static func reason(_ refusal: AlgorithmRefusal, _ format: WrittenFormat) -> String {
    switch refusal {
    case .ambiguous(let one, let other):
      "\(one.rawValue) and \(other.rawValue) have the same length, and \(format.rawValue) lines do not tell them apart"
    case .unnamed(let algorithm): "\(format.rawValue) has no name for \(algorithm.rawValue)"
    }
  }

  package static func hint(_ refusal: AlgorithmRefusal) -> String {
    switch refusal {
    case .ambiguous: "use --write-manifest bsd, whose lines name the algorithm"
    case .unnamed: "use sha256, sha512 or another one from md5 to sha512"
    }
  }

  /// The text after the name of a file and a colon.
  package static func reason(_ refusal: NameRefusal, _ format: WrittenFormat) -> String {
    let what =
      switch refusal {
      case .notUTF8: "is not UTF-8"
      case .controlCharacter: "contains a control character"
      case .notXML: "contains a character that XML does not allow"
      }
    return "the name \(what), so a \(format.rawValue) manifest cannot hold it"
  }

  /// The error of a command that would turn a directory into a bag, and does not say so.
  ///
  /// - Parameter names: of the files below it.
  package static func notInPlace(_ directory: [UInt8], _ names: [[UInt8]]) -> Failure {
    let shown = NamedFiles.shown(directory)
    return Failure(
      .usage, "\(shown) would become a bag: \(moved(names)) would move into the subdirectory data",
      hint: "--in-place does that; -o BAG makes a bag of copies, and leaves \(shown) as it is")
  }

  /// What a conversion is about to do.
  package static func inPlace(_ directory: [UInt8], _ names: [[UInt8]]) -> Diagnostic {
    Diagnostic(message: "\(NamedFiles.shown(directory)) becomes a bag: \(moved(names)) move into the subdirectory data")
  }

  /// `all 12 files, those of .git included,`
  private static func moved(_ names: [[UInt8]]) -> String {
    let all = names.count == 1 ? "its only file" : "all \(Humanized.count(names.count, "file"))"
    let hidden = names.first { $0.first == UInt8(ascii: ".") }
    guard let component = hidden?.split(separator: UInt8(ascii: "/")).first else { return all }
    return "\(all), \(Diagnostic.escaped(Array(component))) included,"
  }

  package static let nameHint = "rename the file, or use --write-manifest gnu, which can hold any name"
}
