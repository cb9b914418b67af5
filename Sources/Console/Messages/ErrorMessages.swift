import DownloadCore

/// What a person reads of an error: one row for each cause.
///
/// A message reads `what failed: cause`, without the item's name. A hint says what the user can do. `Diagnostic` and
/// `JSONReport` redact both.
enum ErrorMessages {
  static func message(_ cause: DownloadError.Cause) -> String {
    switch cause {
    case .local(let failure): "\(operation(failure)): \(SystemMessages.reason(failure.errno))"
    case .spaceShort(let needed, let claimed, let space):
      "not enough space: \(needed) bytes are needed"
        + (claimed > 0 ? " besides \(claimed) for files that are under way" : "") + ", \(told(space))"
    case .spaceExhausted(let space): "not enough space: only \(told(space))"
    case .foreignFile(let file): leftAlone(file)
    case .locked(let process): "another run works on it" + (process.map { " (process \($0))" } ?? "")
    case .targetTaken(let obstacle): taken(by: obstacle)
    case .targetDiffers(let length, let remote):
      "a file of \(length) bytes is there already: "
        + (remote.map { "the server's has \($0) bytes" } ?? "the server tells no length")
    case .partLengthChanged(let found): "the part file has \(found) bytes: somebody else has changed it"
    case .partReplaced: "another file has the part file's name: somebody has put it there"
    case .digestUnavailable: "cannot compute its checksum: OpenSSL has the algorithm switched off"
    case .threadsUnavailable: "the system gives no more threads"
    case .transfer(let fault, let location, let attempts):
      "\(location.redacted): \(FaultMessages.message(fault))"
        + (attempts < 2 ? "" : " (\(attempts) attempts without progress)")
    case .keepsChanging(let change): "the file keeps changing on the server: \(FaultMessages.change(change))"
    case .mismatch(let mismatch, let failures): "verification failed \(failures) times: \(told(mismatch))"
    case .outputMismatch(let mismatch): told(mismatch, of: " of what was written out")
    case .outputChanged(let written): "the content changed after \(written) bytes of it had been written out"
    case .outputPieceWrong(let number, let count):
      "piece \(number) is wrong: the piece hashes describe \(count) others"
    case .outputPieceCount(let found, let expected):
      "the content has \(found) pieces: the piece hashes describe \(expected) others"
    case .deadline(let lastFault, let hasReceived):
      (hasReceived ? "not finished within --max-time" : "nothing arrived within --max-time")
        + (lastFault.map { " (\(FaultMessages.message($0)))" } ?? "")
    case .impossible(let event, let phase): "internal error: \(event) while \(phase)"
    case .worded(_, let message, _): message
    }
  }

  /// - Parameter isSaved: whether a part file is left from which the next run goes on.
  static func hint(_ cause: DownloadError.Cause, isSaved: Bool) -> String? {
    switch cause {
    case .local(let failure) where failure.operation == .saveCookies: nil
    case .local(let failure): remedy(failure.kind, isSaved: isSaved)
    case .spaceShort: "free some space, then run the same command again"
    case .spaceExhausted: remedy(.outOfSpace, isSaved: isSaved)
    case .foreignFile: "move it away, or choose another directory with -d"
    case .locked: "wait until that run has ended"
    case .targetTaken(let obstacle): remedy(obstacle)
    case .targetDiffers: "replace it with --if-exists replace, keep it with --if-exists keep, or move it away"
    case .digestUnavailable: "see the providers and default_properties in openssl.cnf"
    case .threadsUnavailable: "raise the limits on processes and memory (ulimit -u, -v)"
    case .transfer(let fault, let location, _): FaultMessages.hint(fault, at: location, isSaved: isSaved)
    case .keepsChanging: "run the same command again when it is no longer being written"
    case .mismatch(let mismatch, _):
      mismatch.range == nil
        ? "the server has another file than the checksum describes, or the checksum is out of date"
        : "the server has another file than the piece hashes describe, or they are out of date"
    case .outputMismatch: "do not use it"
    case .outputChanged: "download into a file, which can be started over"
    case .outputPieceWrong, .outputPieceCount: "do not use what was written out"
    case .deadline: isSaved ? FaultMessages.goOn : "raise --max-time, or run the same command again later"
    case .worded(_, _, let hint): hint
    case .partLengthChanged, .partReplaced, .impossible: nil
    }
  }

  // MARK: Local files

  private static func operation(_ failure: LocalFailure) -> String {
    let path = failure.path ?? []
    let directory = path.isEmpty ? "the working directory" : "the directory \(String(decoding: path, as: UTF8.self))"
    return switch failure.operation {
    case .createDirectory: "cannot create \(directory)"
    case .useDirectory: "cannot use \(directory)"
    case .writeDirectory: "cannot create a file in \(directory)"
    case .inspectTarget: "cannot look at the target"
    case .openSidecar: "cannot open the sidecar"
    case .writeSidecar: "cannot write the sidecar"
    case .openPart: "cannot open the part file"
    case .writePart: "cannot write the part file"
    case .readPart: "cannot read back what was written"
    case .syncContent: "cannot bring the data to stable storage"
    case .nameTarget: "cannot give the file its name"
    case .removeSidecar: "the file is in place, but its sidecar cannot be removed"
    case .syncDirectory: "the file is in place, but its directory cannot be synced"
    case .writeOutput: "cannot write the output"
    case .saveCookies: "cannot save the cookies to \(String(decoding: path, as: UTF8.self))"
    }
  }

  private static func remedy(_ kind: LocalFailure.Kind, isSaved: Bool) -> String? {
    switch kind {
    case .outOfSpace:
      "free some space, then run the same command again" + (isSaved ? ": it goes on from here" : "")
    case .fileTooLarge: "raise the limit on file sizes (ulimit -f), or use a file system that takes larger files"
    case .outOfDescriptors: "raise the limit (ulimit -n), or lower --jobs"
    case .forbidden: "choose another directory with -d, or make this one writable"
    case .nameTooLong: "choose a shorter name with -o"
    case .other: nil
    }
  }

  private static func told(_ space: DiskSpace) -> String {
    "\(space.free) are free, of which \(space.reserve) are kept in reserve"
  }

  private static func taken(by obstacle: TargetObstacle) -> String {
    switch obstacle {
    case .directory: "a directory has this name"
    case .symbolicLink: "a symbolic link has this name and is never written through"
    case .file: "the file is there already"
    case .special: "a pipe, socket or device has this name"
    case .newFile: "a file with this name has appeared meanwhile"
    }
  }

  private static func remedy(_ obstacle: TargetObstacle) -> String {
    switch obstacle {
    case .directory: "choose another name with -o or move it away"
    case .symbolicLink: "replace the link itself with --if-exists replace, or name its target with -o"
    case .file: "--if-exists fail refuses to touch it"
    case .special: "name it with -o if that is where it shall go"
    case .newFile: "move it away or use --if-exists replace, then run the same command again"
    }
  }

  /// `x.swiftget belongs to another user, so it is left alone`
  static func leftAlone(_ file: ForeignFile) -> String {
    let name = String(decoding: file.name, as: UTF8.self)
    let what =
      switch file.reason {
      case .otherOwner: "\(name) belongs to another user"
      case .otherLinks: "\(name) has other names too (hard links)"
      case .unsigned: "\(name) is not a sidecar of swiftget"
      case .noSidecar: "\(name) stands there without a sidecar of swiftget"
      }
    return what + ", so it is left alone"
  }

  // MARK: Content

  /// `the sha256 of bytes 0-99 is HEX where HEX was expected`
  static func told(_ mismatch: DigestMismatch) -> String {
    told(mismatch, of: mismatch.range.map { " of bytes \($0.lowerBound)-\($0.upperBound - 1)" } ?? "")
  }

  private static func told(_ mismatch: DigestMismatch, of what: String) -> String {
    let actual = mismatch.actual
    return "the \(actual.algorithm.rawValue)\(what) is \(actual.hex) where \(mismatch.expected.hex) was expected"
  }
}

extension DownloadError {
  /// An error whose words are made where it is found: of the command line, a list or the standard streams.
  init(_ code: Code, _ message: String, hint: String? = nil) {
    self.init(.worded(code, message: message, hint: hint))
  }

  /// Not redacted.
  var message: String { ErrorMessages.message(cause) }

  /// What the user can do. Not redacted.
  ///
  /// - Parameter isSaved: whether a part file is left from which the next run goes on.
  func hint(isSaved: Bool = false) -> String? { ErrorMessages.hint(cause, isSaved: isSaved) }
}
