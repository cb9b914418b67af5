internal import DownloadCore
internal import DownloadWords

/// A file that may have the signature of a list.
enum SignatureFile {
  case path([UInt8])
  /// Nil where the server has no such file.
  case fetched(Location, content: [UInt8]?)

  /// More than any signature has.
  static let mostBytes = 1 << 20

  /// The path, or the URL without its query.
  var name: [UInt8] {
    switch self {
    case .path(let path): path
    case .fetched(let location, _): Array(location.withoutQuery.utf8)
    }
  }

  /// Its name as messages show it.
  var shownName: String { NamedFiles.shown(name) }

  /// Whether its name is one that only minisign gives.
  var isMinisign: Bool { name.suffix(8).elementsEqual(".minisig".utf8) }

  /// The content; nil where there is no such file.
  ///
  /// - Parameters:
  ///   - option: that asks for it, for errors.
  ///   - inputs: note the file.
  /// - Throws: a usage error where it cannot be read.
  func read(of option: Phrase, notedIn inputs: DecidingInputs) throws(Failure) -> [UInt8]? {
    switch self {
    case .path(let path): try SmallFiles.readIfPresent(path, of: option, notedIn: inputs, mostBytes: Self.mostBytes)
    case .fetched(_, let content): content
    }
  }
}
