package import DownloadCore

/// What a person reads of a list, or its signature, that is downloaded before the run.
package enum FetchMessages {
  package enum Subject: String, CaseIterable {
    case list, signature

    /// For what cannot be downloaded here.
    fileprivate var hint: Phrase {
      switch self {
      case .list: "download it as a file, then use \(.inputFile, "FILE")"
      case .signature: "check the URL, or download it as a file, then use \(.signature, "FILE")"
      }
    }
  }

  /// The list is not there.
  ///
  /// - Parameters:
  ///   - error: of the item that the list was.
  ///   - location: the URL that was to be downloaded.
  package static func error(_ error: Failure, of subject: Subject, _ location: Location) -> Failure {
    let start = "cannot download the \(subject.rawValue) \(location.withoutQuery): "
    switch error.cause {
    case .transfer(.tooLarge(let limit), _, _, _):
      return Failure(.usage, words: "\(start)it is larger than \(Humanized.size(limit))", hint: subject.hint)
    case .transfer(let fault, let location, let attempts, let target):
      let tried = attempts < 2 ? "" : " (\(attempts) attempts without progress)"
      let hint = FaultMessages.hint(fault, at: location, redirectedTo: target, isSaved: false)
      let message = FaultMessages.message(fault, redirectedTo: target)
      return Failure(error.code, words: Phrase(start + message + tried), hint: hint)
    case .outputMismatch(let mismatch):
      return Failure(
        error.code, start + ErrorMessages.told(mismatch), hint: "check the URL and the checksum behind '#'")
    default:
      return Failure(error.code, words: "\(start)\(error.words)", hint: error.advice())
    }
  }

  /// The content has a form that was not asked for.
  package static func error(contentCoding: String, of subject: Subject, _ location: Location) -> Failure {
    let name = "\(subject.rawValue) \(location.withoutQuery)"
    return Failure(
      .protocolViolation, words: "cannot read the \(name): the server sent it with Content-Encoding \(contentCoding)",
      hint: subject.hint)
  }

  package static func done(_ subject: Subject, _ location: Location, byteCount: Int64) -> String {
    "downloaded the \(subject.rawValue) \(location.withoutQuery), \(Humanized.size(byteCount))"
  }

  /// - Parameter directory: where the list's names lead.
  package static func done(list: Location, byteCount: Int64, directory: Location) -> String {
    done(.list, list, byteCount: byteCount) + "; its names lead to \(directory.text)"
  }
}
