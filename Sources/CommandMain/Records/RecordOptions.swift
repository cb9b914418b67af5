internal import CommandOptions
internal import DownloadCore
internal import DownloadLists
internal import DownloadWords

/// The files that a run writes about itself: their arguments, and what they must not be combined with.
enum RecordOptions {
  /// Refuses a file that would replace one that the run reads or writes for another purpose.
  static func check(_ invocation: Invocation) throws(Failure) {
    let written = invocation.records.all.map { (option: $0.setting.option.name, path: $0.path) }
    guard !written.isEmpty else { return }
    var others = readFiles(of: invocation)
    if let path = outputPath(invocation) { others.append(("-o", path)) }
    try check(written, others.map { ($0.0, FilePlace($0.1)) })
  }

  /// - Parameters:
  ///   - written: of each other, too, none may be the same.
  ///   - others: what each of them is, and where.
  private static func check(
    _ written: [(option: String, path: [UInt8])], _ others: [(what: String, place: FilePlace)]
  ) throws(Failure) {
    var others = others
    for (option, path) in written {
      let place = FilePlace(path)
      for (other, otherPlace) in others where place.isSameFile(as: otherPlace) && !mayBeOne(option, other) {
        throw Failure(
          .usage, "\(option) and \(other) name the same file, \(NamedFiles.shown(path))",
          hint: "give \(option) a file of its own", about: [option])
      }
      others.append((option, place))
    }
  }

  /// Whether the one option updates the file of the other one, by the user's wish.
  private static func mayBeOne(_ written: String, _ other: String) -> Bool {
    switch written {
    case "--save-cookies": other == "--load-cookies"
    case "--lock": other == "--frozen"
    default: false
    }
  }

  /// The files that the run reads, by what names them.
  private static func readFiles(of invocation: Invocation) -> [(what: String, path: [UInt8])] {
    let settings = invocation.settings
    var files: [(what: String, path: [UInt8])] = []
    func add(_ what: String, _ path: [UInt8]?) { if let path, !path.isEmpty { files.append((what, path)) } }
    for input in invocation.lists.inputs where !TargetName.isURL(input) && input != [UInt8(ascii: "-")] {
      add("-i", input)
      if !invocation.lists.signatures.keys.isEmpty {
        for suffix in ListVerifier.allEndings { add("the signature of -i", input + Array(suffix.utf8)) }
      }
    }
    if let signature = invocation.lists.signatures.signature, !TargetName.isURL(signature) {
      add("--signature", signature)
    }
    for key in invocation.lists.signatures.keys { add("--verify-signature", key) }
    add("--frozen", invocation.lists.frozen)
    add("--load-cookies", invocation.loadedCookies)
    if let file = invocation.standing.file { add(file.isNamed ? "--config" : "the configuration", file.path) }
    for file in NetrcFiles.named(by: settings) { add(file.option, file.path) }
    for (option, path) in [
      ("--cacert", settings.transport.caFile), ("--cert", settings.transport.clientCertificate),
      ("--key", settings.transport.clientKey),
      ("--proxy-cacert", settings.transport.proxyCAFile),
    ] { add(option, path.map { Array($0.utf8) }) }
    return files
  }

  /// The file of `-o`, from the working directory.
  private static func outputPath(_ invocation: Invocation) -> [UInt8]? {
    guard let output = invocation.naming.output, !invocation.naming.writesToStandardOutput else { return nil }
    let slash = UInt8(ascii: "/")
    guard let directory = invocation.naming.directory, output.first != slash else { return output }
    return directory + [slash] + output
  }
}
