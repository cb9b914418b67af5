import DownloadCore
import LocalFiles

/// The files that a run writes about itself: their arguments, and what they must not be combined with.
enum RecordOptions {
  /// What contradicts `--failed` and `--report`.
  static func errors(_ invocation: Invocation) -> [DownloadError] {
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String) { errors.append(DownloadError(.usage, message, hint: hint)) }
    for (record, path) in [("--report", invocation.report), ("--failed", invocation.failed)] where path != nil {
      if let option = invocation.work.refusingOption {
        add("\(record) has no meaning with \(option)", hint: "\(option) prints its results")
      }
    }
    guard invocation.failed != nil else { return errors }
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
    for (option, path) in [("--report", invocation.report), ("--failed", invocation.failed)] {
      if let path { try check(path, of: option, invocation) }
    }
  }

  private static func check(
    _ path: [UInt8], of option: String, _ invocation: Invocation
  ) throws(DownloadError) {
    var others: [(what: String, path: [UInt8])] = invocation.inputs.map { ("-i", $0) }
    let named: [(String, [UInt8]?)] = [
      ("--frozen", invocation.frozen), ("--lock", invocation.lock), ("--log", invocation.log.path),
      ("--load-cookies", invocation.loadedCookies), ("--save-cookies", invocation.savedCookies),
      ("--failed", option == "--failed" ? nil : invocation.failed), ("-o", outputPath(invocation)),
    ]
    for (option, path) in named { if let path { others.append((option, path)) } }
    for (other, otherPath) in others where path == otherPath || NamedFiles.areSame(path, otherPath) {
      throw DownloadError(
        .usage, "\(option) and \(other) name the same file, \(NamedFiles.shown(path))",
        hint: "give \(option) a file of its own")
    }
  }

  /// The file of `-o`, from the working directory.
  private static func outputPath(_ invocation: Invocation) -> [UInt8]? {
    guard let output = invocation.output, !invocation.writesToStandardOutput else { return nil }
    let slash = UInt8(ascii: "/")
    guard let directory = invocation.directory, output.first != slash else { return output }
    return directory + [slash] + output
  }

  /// Why the file of an option is not written.
  static func error(of option: String, _ path: [UInt8], _ failure: FileFailure) -> DownloadError {
    DownloadError(
      .localIO, "the file of \(option) \(NamedFiles.shown(path)): \(LocalFileMessages.message(failure.problem))",
      hint: LocalFileMessages.hint(failure.problem) ?? "name a file in a writable directory")
  }
}

extension OptionArgument {
  func failureLimit() throws(DownloadError) -> FailureLimit {
    guard let limit = FailureLimit(text: bytes) else {
      throw refused(
        "is not a number of files",
        hint: "use a number such as 10, or a share of all files such as 5%")
    }
    return limit
  }

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
