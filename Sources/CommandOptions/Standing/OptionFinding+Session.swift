internal import DownloadCore
internal import DownloadScratch
internal import DownloadWords
internal import Glibc

extension OptionFinding {
  /// The option as a session keeps it; nil if it does not keep it.
  ///
  /// Relative paths become absolute. A pipe is not kept, as it can be read once only, nor is the password of a certificate.
  ///
  /// - Throws: a usage error for an argument that no line of a configuration file can have.
  func ofSession() throws(Failure) -> OptionFinding? {
    guard let spec, spec.scope == .session else { return nil }
    guard case .option(_, let spelling, let argument?) = self else { return self }
    guard let kept = try Self.kept(argument, of: spec, spelling) else { return nil }
    guard !kept.contains(where: { $0 < 0x20 || $0 == 0x7f }), kept.elementsEqual(kept.trimmed) else {
      throw Failure(
        .usage, "\(spelling): a session keeps no control characters, nor blanks at an end", about: [spec.id.name])
    }
    return .option(spec, spelling: spelling, argument: kept)
  }

  private static func kept(
    _ argument: [UInt8], of spec: OptionSpec, _ spelling: String
  ) throws(Failure) -> [UInt8]? {
    guard !argument.isEmpty, [.files, .directories].contains(spec.values) else { return argument }
    guard spec.id == .cert else { return kept(path: argument) }
    let file = try OptionArgument(spelling: spelling, bytes: argument, isGiven: true).certificate().file
    return kept(path: Array(file.utf8))?.flatMap { byte in
      byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
    }
  }

  private static func kept(path: [UInt8]) -> [UInt8]? {
    if let status = stat(of: path), ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) { return nil }
    return AbsolutePath.cleaned(AbsolutePath.of(path, in: AbsolutePath.of(directory: [])))
  }

  /// The line of a configuration file that says the same; nil for what is no option.
  var line: [UInt8]? {
    switch self {
    case .option(let spec, _, let argument): Array(spec.long.utf8) + (argument.map { Array(" = ".utf8) + $0 } ?? [])
    case .takenBack(let spec, _): Array("\(spec.long) = false".utf8)
    case .refused, .hosts: nil
    }
  }
}
