/// Why an item or the run failed: a cause with its facts, from which `DownloadWords` makes the words.
///
/// The item's name and the line of its list stand in the `Outcome`. The facts may hold secrets, such as a URL's query;
/// the words do not.
package struct Failure: Error, Hashable, Sendable {
  package typealias Code = FailureCode

  package let cause: Cause

  package init(_ cause: Cause) { self.cause = cause }

  package var code: Code { cause.code }

  /// The status of the answer that decided that the item failed; nil where no answer did.
  /// - Parameter lastAnswer: the status of the item's last answer.
  package func status(lastAnswer: Int?) -> Int? {
    guard case .transfer(let fault, _, _, _) = cause else { return lastAnswer }
    return fault.status(lastAnswer: lastAnswer)
  }

  /// Indirect, so that a result that may be an error is no larger than a pointer for it.
  package indirect enum Cause: Hashable, Sendable {
    // MARK: Local files

    case local(LocalFailure)
    /// The rest of one file does not fit.
    ///
    /// - Parameters:
    ///   - needed: bytes that the file still needs.
    ///   - claimed: free bytes that other active files still need.
    case spaceShort(needed: Int64, claimed: Int64, DiskSpace)
    /// Only the reserve is left on the file system.
    case spaceExhausted(DiskSpace)
    case foreignFile(ForeignFile)
    /// Another run works on the target; its process id where that is known.
    case locked(process: Int32?)
    case targetTaken(by: TargetObstacle)
    /// A file of the target's name has another length than the server's file; nil where the server tells none.
    case targetDiffers(length: Int64, remote: Int64?)
    /// A file of the target's name is from another URL, and its version differs from the server's.
    case targetOfOtherURL(VersionChange)
    /// An answer has no validator, as that had which brought the existing file.
    case answerUnidentified
    /// Another process changed the part file's length.
    case partLengthChanged(found: Int64)
    /// Another file has taken the part file's name.
    case partReplaced
    /// OpenSSL does not compute an expected digest; the algorithm where it is known.
    case digestUnavailable(DigestAlgorithm?)
    case threadsUnavailable

    // MARK: Network

    /// - Parameters:
    ///   - at: the mirror's original URL.
    ///   - attempts: attempts without progress; 0 where the fault was final at once.
    ///   - redirectedTo: where the refusal came from; nil for the mirror's own origin.
    case transfer(TransferFault, at: Location, attempts: Int, redirectedTo: Origin? = nil)
    /// The last of too many changes during one download.
    case keepsChanging(VersionChange)

    // MARK: Content

    /// - Parameter failures: the number of failed verifications, each of a new fetch.
    case mismatch(DigestMismatch, failures: Int)
    /// Two fetches of a body whose end nothing else confirms differed, so many times.
    case unconfirmed(failures: Int)
    /// A mismatch of what has been written to a stream.
    case outputMismatch(DigestMismatch)
    /// The content changed after this many bytes had been written to a stream.
    case outputChanged(written: Int64)
    /// A piece of a stream is wrong.
    /// - Parameter number: counted from 1.
    case outputPieceWrong(number: Int, count: Int)
    /// A stream has another number of pieces than its list says.
    case outputPieceCount(found: Int, expected: Int)

    /// The command of `--verify-command` does not accept the content.
    case rejected(ChildEnd)
    /// The command of `--verify-command` has written to the file, which it must only read.
    case changedByJudge
    /// That command could not judge the content, which stays in the part file.
    /// - Parameter program: its first word.
    case unjudged(program: [UInt8], ChildEnd)
    /// A question about the file was not answered in time.
    case undecided
    /// That command judges files, and what it would judge is written to a stream at once.
    case streamUnjudged

    // MARK: The run

    /// `--max-time` was reached.
    ///
    /// - Parameters:
    ///   - lastFault: why the last transfer failed; nil if none has.
    ///   - hasReceived: whether any byte of the content arrived.
    case deadline(lastFault: TransferFault?, hasReceived: Bool)
    /// The time of `--deadline` has come, and something is left to do.
    case runDeadline
    /// A signal of this number came before the run had begun.
    case signal(Int32)
    /// An event that cannot happen in this phase: a fault of this program.
    case impossible(event: String, phase: String)
    /// An error of the command line, a list or the standard streams. Made where it is found, with its words.
    ///
    /// - Parameter options: those that it is about, where it tells the place of one that the command line does not give.
    case worded(Code, message: Phrase, hint: Phrase?, options: [Phrase] = [])

    var code: Code {
      switch self {
      case .local(let failure): failure.kind == .outOfSpace ? .diskFull : .localIO
      case .spaceExhausted: .diskFull
      case .spaceShort, .foreignFile, .targetTaken, .partLengthChanged, .partReplaced, .digestUnavailable,
        .threadsUnavailable, .unjudged, .undecided:
        .localIO
      case .streamUnjudged: .usage
      case .locked: .locked
      case .transfer(let fault, _, _, _): fault.code
      case .answerUnidentified: .protocolViolation
      case .targetDiffers, .targetOfOtherURL, .keepsChanging, .mismatch, .outputMismatch, .outputChanged,
        .outputPieceWrong,
        .outputPieceCount, .rejected, .changedByJudge, .unconfirmed:
        .integrity
      case .deadline, .runDeadline: .deadline
      case .signal: .interrupted
      case .impossible: .other
      case .worded(let code, _, _, _): code
      }
    }
  }
}

/// What has the target's name and is not replaced.
package enum TargetObstacle: Hashable, Sendable, CaseIterable {
  case directory, symbolicLink
  /// A finished file, which `--if-exists fail` protects.
  case file
  /// A finished file that is not marked as coming from this URL, under a name that the server gives.
  case unmarkedFile
  /// The part file of another URL, under a name that the server gives.
  case otherPart
  /// A pipe, socket or device.
  case special
  /// A file that was not there when the download began.
  case newFile
  /// A file that no run of ours has left, outside of the directory of the run.
  case foreignFile
  /// Another file of the run; possible only if answers name files.
  case otherRequest
}
