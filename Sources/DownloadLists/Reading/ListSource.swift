internal import DownloadCore
internal import DownloadWords

/// Where a list comes from.
enum ListSource {
  /// A file or a pipe; `-` is standard input.
  case path([UInt8])
  /// A URL, whose content is here.
  case fetched(FetchedList)
  /// Bytes that the caller has, in an unnamed file.
  case given(OpenFile, name: [UInt8])

  private static let standardInput = [UInt8(ascii: "-")]

  /// The list's name as messages show it.
  var name: String {
    switch self {
    case .path(Self.standardInput): "standard input"
    case .path(let name), .given(_, let name): Diagnostic.escaped(Redaction.name(name))
    case .fetched(let list): list.name
    }
  }

  /// The name of its file.
  var fileName: [UInt8] {
    switch self {
    case .path(let name), .given(_, let name): name
    case .fetched(let list): TargetName.fromURLPath(list.url.location.path)
    }
  }

  /// Nil for a list on this machine.
  var fetched: FetchedList? {
    if case .fetched(let list) = self { list } else { nil }
  }

  /// - Parameters:
  ///   - inputs: note the list.
  ///   - verifier: nil where lists need no signature.
  func open(
    notedIn inputs: DecidingInputs, _ verifier: ListVerifier?, _ patience: ListPatience
  ) throws(Failure) -> ListFile {
    switch self {
    case .path(let path): return try ListFile(path: path, notedIn: inputs, verifier: verifier, patience)
    case .fetched(let list):
      inputs.noteOther()
      return try ListFile(
        unnamed: list.file, .fetched, name: list.name, beside: list.signatures, verifier: verifier)
    case .given(let file, _):
      inputs.noteOther()
      return try ListFile(unnamed: file, .own, name: name, beside: [], verifier: verifier)
    }
  }
}
