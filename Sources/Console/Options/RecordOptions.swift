import DownloadCore

/// The files that a run writes about itself: their arguments, and what they must not be combined with.
enum RecordOptions {
  /// What contradicts `--failed`.
  static func errors(_ invocation: Invocation) -> [DownloadError] {
    guard invocation.failed != nil else { return [] }
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if let option = invocation.work.option {
      add("--failed has no meaning with \(option)", hint: "\(option) prints its results")
    }
    if invocation.output != nil {
      add("--failed lists files, but -o names a single one", hint: "run the same command again without --failed")
    }
    if invocation.naming.template?.fields.contains(.number) ?? false {
      add(
        "--failed: the number {n} of a file would be another one in the next run",
        hint: "name files by other fields, such as {name}")
    }
    return errors
  }

  /// Refuses a file that would replace one that the run reads or writes for another purpose.
  static func check(_ invocation: Invocation) throws(DownloadError) {
    var others: [(what: String, path: [UInt8])] = invocation.inputs.map { ("-i", $0) }
    let named: [(String, [UInt8]?)] = [
      ("--frozen", invocation.frozen), ("--lock", invocation.lock), ("--log", invocation.log),
      ("--load-cookies", invocation.loadedCookies), ("--save-cookies", invocation.savedCookies),
    ]
    for (option, path) in named { if let path { others.append((option, path)) } }
    guard let path = invocation.failed else { return }
    for (option, other) in others where path == other || NamedFiles.areSame(path, other) {
      throw DownloadError(
        .usage, "--failed and \(option) name the same file, \(NamedFiles.shown(path))",
        hint: "give --failed a file of its own")
    }
  }
}

extension OptionArgument {
  /// The path of a file that the run writes about itself.
  func recordPath() throws(DownloadError) -> [UInt8] {
    guard bytes != [UInt8(ascii: "-")] else {
      throw DownloadError(
        .usage, "\(spelling): the file is not written to standard output",
        hint: "name a file; ./- is one with this name")
    }
    let path = try path()
    guard !TargetName.isReserved(path) else {
      throw refused("cannot be its file: \(RequestMessages.reason(.reservedSuffix))", hint: "choose another name")
    }
    return path
  }
}
