package import DownloadCore

/// What a person reads of an error: one row for each cause.
///
/// A message reads `what failed: cause`, without the item's name. A hint says what the user can do. `Diagnostic` and
/// `JSONDisplay` redact both.
package enum ErrorMessages {
  /// Nil for a cause that has its own words.
  package static func message(_ cause: Failure.Cause) -> String? {
    switch cause {
    case .local(let failure): "\(operation(failure)): \(SystemMessages.reason(failure.errno))"
    case .spaceShort(let needed, let claimed, let space):
      "not enough space: \(Humanized.size(needed)) are needed"
        + (claimed > 0 ? " plus \(Humanized.size(claimed)) for downloads in progress" : "") + ", \(told(space))"
    case .spaceExhausted(let space): "not enough space: only \(told(space))"
    case .foreignFile(let file): leftAlone(file)
    case .locked(let process): "another swiftget is downloading this file" + (process.map { " (PID \($0))" } ?? "")
    case .targetTaken(let obstacle): taken(by: obstacle)
    case .targetDiffers(let length, let remote):
      "the file already exists with \(length) bytes, but "
        + (remote.map { "the server has \($0) bytes" } ?? "the server reports no size")
    case .targetOfOtherURL(let change):
      "the file already exists from another URL, and the server's file differs: \(FaultMessages.change(change))"
    case .answerUnidentified:
      "the server's answer has neither ETag nor Last-Modified, but the existing file was downloaded with one"
    case .partLengthChanged(let found): "another program changed the part file: it now has \(found) bytes"
    case .partReplaced: "another program replaced the part file"
    case .digestUnavailable: "cannot compute the checksum: OpenSSL has disabled this algorithm"
    case .threadsUnavailable: "cannot create a thread"
    case .transfer(let fault, let location, let attempts, let target):
      transfer(from: location, FaultMessages.message(fault, redirectedTo: target), attempts: attempts)
    case .keepsChanging(let change): "the file keeps changing on the server: \(FaultMessages.change(change))"
    case .mismatch(let mismatch, let failures): "checksum verification failed \(failures) times: \(told(mismatch))"
    case .unconfirmed(let failures):
      "the server does not report the length, and \(failures == 1 ? "a second download" : "each second download") differs "
        + "(\(failures) compared)"
    case .outputMismatch(let mismatch): told(mismatch, of: " of the output")
    case .outputChanged(let written): "the file changed on the server after \(written) bytes were output"
    case .outputPieceWrong(let number, let count):
      "piece \(number) of \(count) does not match its hash"
    case .outputPieceCount(let found, let expected):
      "the content has \(found) pieces, but there are \(expected) piece hashes"
    case .deadline(let lastFault, let hasReceived):
      (hasReceived ? "not finished within the time limit" : "no data received within the time limit")
        + (lastFault.map { " (\(FaultMessages.message($0)))" } ?? "")
    case .rejected(let end): "the verify command rejects the file: it \(told(end))"
    case .changedByJudge: "the verify command changed the file"
    case .unjudged(let program, let end): command("the verify command", program, end)
    case .undecided: "a question about the file was not answered in time"
    case .streamUnjudged: "the verify command cannot judge what is written to a pipe or a device"
    case .runDeadline: "the deadline of the run has passed"
    case .signal(let number): "ended by signal \(number) before anything was started"
    case .impossible(let event, let phase): "internal error: \(event) while \(phase)"
    case .worded: nil
    }
  }

  /// `https://example.org/f: connection refused (5 attempts without progress)`
  package static func transfer(from location: Location, _ fault: String, attempts: Int) -> String {
    "\(location.redacted): \(fault)" + (attempts < 2 ? "" : " (\(attempts) attempts without progress)")
  }

  /// - Parameter isSaved: whether a part file is left from which the next run goes on.
  package static func hint(_ cause: Failure.Cause, isSaved: Bool) -> Phrase? {
    switch cause {
    case .local(let failure) where failure.operation == .saveCookies: nil
    case .local(let failure): remedy(failure.kind, isSaved: isSaved)
    case .spaceShort: "free some space, then run the same command again"
    case .spaceExhausted: remedy(.outOfSpace, isSaved: isSaved)
    case .foreignFile: "move it away, or choose another directory with \(.dir)"
    case .locked: "wait until it has finished, as \(.lockWait, "TIME") does, then run the same command again"
    case .targetTaken(let obstacle): remedy(obstacle)
    case .answerUnidentified:
      "the answer may be a login page; if it is the file, take it with \(.ifExists, "replace")"
    case .targetDiffers, .targetOfOtherURL:
      "replace it with \(.ifExists, "replace"), keep it with \(.ifExists, "keep"), or move it away"
    case .digestUnavailable: "enable it in openssl.cnf (providers, default_properties)"
    case .threadsUnavailable: "raise the limits on processes and memory (ulimit -u, -v)"
    case .transfer(let fault, let location, _, let target):
      FaultMessages.hint(fault, at: location, redirectedTo: target, isSaved: isSaved)
    case .keepsChanging: "run the same command again once the file stops changing"
    case .mismatch(let mismatch, _):
      mismatch.range == nil
        ? "check the URL and the checksum: one of them may be wrong or out of date"
        : "check the URL and the piece hashes: one of them may be wrong or out of date"
    case .unconfirmed: "give a \(.checksum), or take the first download as it is with \(.allowUnconfirmed)"
    case .outputMismatch: "discard the output"
    case .outputChanged: "discard the output; with \(.output, "FILE") swiftget can start over by itself"
    case .changedByJudge: "use a command that only reads the file, or give it a copy; \(.onComplete) may change files"
    case .rejected: "if the file is right, correct the command and run the same command again"
    case .unjudged: "correct the command; the next run does not download the file again"
    case .undecided: "answer sooner, and try again"
    case .streamUnjudged: "name a file with \(.output)"
    case .outputPieceWrong, .outputPieceCount: "discard the output"
    case .deadline: isSaved ? FaultMessages.goOn : "raise \(.maxTime), or run the same command again later"
    case .runDeadline: FaultMessages.goOn
    case .signal: nil
    case .worded(_, _, let hint, _): hint
    case .partLengthChanged, .partReplaced: "stop the other program, then run the same command again"
    case .impossible: "this is a bug in swiftget; please report it"
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
    case .inspectTarget: "cannot inspect the target file"
    case .openSidecar: "cannot open the sidecar"
    case .writeSidecar: "cannot write the sidecar"
    case .openPart: "cannot open the part file"
    case .writePart: "cannot write the part file"
    case .readPart: "cannot read back the part file"
    case .syncContent: "cannot sync the data to disk"
    case .nameTarget: "cannot rename the part file to its final name"
    case .rename: "cannot rename the file"
    case .removeSidecar: "the file is complete, but its sidecar cannot be removed"
    case .syncDirectory: "the file is complete, but its directory cannot be synced"
    case .writeOutput: "cannot write the output"
    case .saveCookies: "cannot save the cookies to \(String(decoding: path, as: UTF8.self))"
    }
  }

  private static func remedy(_ kind: LocalFailure.Kind, isSaved: Bool) -> Phrase? {
    switch kind {
    case .outOfSpace:
      "free some space, then run the same command again" + (isSaved ? " to resume" : "")
    case .fileTooLarge: "raise the file size limit (ulimit -f), or use a file system that allows larger files"
    case .outOfDescriptors: "raise the limit (ulimit -n), or lower \(.jobs)"
    case .forbidden: "choose another directory with \(.dir), or make this one writable"
    case .nameTooLong: "choose a shorter name with \(.output) (or out= in the list)"
    case .nameRefused:
      "this file system does not allow the name: choose another with \(.output) (or out= in the list), or a directory on another "
        + "file system with \(.dir)"
    case .other: nil
    }
  }

  private static func told(_ space: DiskSpace) -> String {
    "\(Humanized.size(space.free)) are free, of which swiftget reserves \(Humanized.size(space.reserve))"
  }

  private static func taken(by obstacle: TargetObstacle) -> String {
    switch obstacle {
    case .directory: "a directory has this name"
    case .symbolicLink: "a symbolic link has this name, and swiftget does not write through links"
    case .file: "the file already exists"
    case .unmarkedFile: "the server gives the file the name of an existing one, which did not come from this URL"
    case .otherPart: "the server gives the file the name of another unfinished download"
    case .special: "a pipe, socket or device has this name"
    case .newFile: "a file with this name appeared during the download"
    case .foreignFile: "outside of the target directory swiftget replaces only its own unchanged files"
    case .otherRequest: "another file of this run already has this name"
    }
  }

  private static func remedy(_ obstacle: TargetObstacle) -> Phrase {
    switch obstacle {
    case .directory: "move the directory away, or choose another name with \(.output) (or out= in the list)"
    case .symbolicLink: "name the file it points to with \(.output), choose another name, or move the link away"
    case .file: "use \(.ifExists, "keep") or replace instead of fail, or move the file away"
    case .unmarkedFile: "choose a name with \(.output), replace the file with \(.ifExists, "replace"), or move it away"
    case .otherPart: "finish that download first, or choose a name with \(.output)"
    case .special: "to write into it, name it with \(.output)"
    case .foreignFile: "move it away, or give its directory with \(.dir)"
    case .otherRequest: "name each file with out= in a list, or download them into different directories"
    case .newFile: "move it away, then run the same command again"
    }
  }

  /// `x.swiftget belongs to another user, so it is left alone`
  static func leftAlone(_ file: ForeignFile) -> String {
    let name = String(decoding: file.name, as: UTF8.self)
    let what =
      switch file.reason {
      case .notRegular: "\(name) is not a regular file"
      case .otherOwner: "\(name) belongs to another user"
      case .otherLinks: "\(name) has more than one hard link"
      case .unsigned: "\(name) is not a swiftget sidecar"
      case .noSidecar: "\(name) has no swiftget sidecar"
      case .notPrivate: "\(name) is open to other users, as no file of swiftget"
      }
    return what + ", so swiftget does not touch it"
  }

  // MARK: Content

  /// `the sha256 of bytes 0-99 is HEX where HEX was expected`
  package static func told(_ mismatch: DigestMismatch) -> String {
    told(mismatch, of: mismatch.range.map { " of bytes \($0.lowerBound)-\($0.upperBound - 1)" } ?? "")
  }

  private static func told(_ mismatch: DigestMismatch, of what: String) -> String {
    let actual = mismatch.actual
    return "the \(actual.algorithm.rawValue)\(what) is \(actual.hex), expected \(mismatch.expected.hex)"
  }

  /// `the command of --on-exit (mail) ended with status 1`
  ///
  /// - Parameters:
  ///   - what: what the command is for.
  ///   - program: the first word. The others may hold secrets.
  static func command(_ what: String, _ program: [UInt8], _ end: ChildEnd) -> String {
    "\(what) (\(NamedFiles.shown(program))) \(told(end))"
  }

  /// `ended with status 1`
  package static func told(_ end: ChildEnd) -> String {
    switch end {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was ended by signal \(signal)"
    case .timedOut: "did not end within its time limit"
    case .cancelled: "was ended with the run"
    case .notStarted(let errno): "cannot be run: \(SystemMessages.reason(errno))"
    }
  }
}

extension Failure {
  /// An error whose words are made where it is found: of the command line, a list or the standard streams.
  ///
  /// - Parameter options: those that it is about, which `StandingPlaces` finds in the configuration.
  package init(_ code: Code, _ message: String, hint: String? = nil, about options: [String] = []) {
    self.init(code, words: Phrase(message), hint: hint.map { Phrase($0) }, about: options.map { Phrase($0) })
  }

  /// The same for words that name settings.
  package init(_ code: Code, words message: Phrase, hint: Phrase? = nil, about options: [Phrase] = []) {
    self.init(.worded(code, message: message, hint: hint, options: options))
  }

  /// The message. Not redacted.
  package var words: Phrase {
    if case .worded(_, let message, _, _) = cause { message } else { Phrase(ErrorMessages.message(cause) ?? "") }
  }

  /// What the user can do. Not redacted.
  ///
  /// - Parameter isSaved: whether a part file is left from which the next run goes on.
  package func advice(isSaved: Bool = false) -> Phrase? { ErrorMessages.hint(cause, isSaved: isSaved) }

  /// Not redacted.
  package func message(in vocabulary: Vocabulary) -> String { words.text(in: vocabulary) }
}
