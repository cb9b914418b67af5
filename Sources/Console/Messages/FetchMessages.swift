import DownloadCore

/// What a person reads of a list that is downloaded before the run.
enum FetchMessages {
  /// The list is not there.
  ///
  /// - Parameters:
  ///   - error: of the item that the list was.
  ///   - list: the URL of the command line.
  static func error(_ error: DownloadError, of list: Location) -> DownloadError {
    let start = "cannot download the list \(list.withoutQuery): "
    switch error.cause {
    case .transfer(.tooLarge(let limit), _, _):
      return DownloadError(
        .usage, start + "it is larger than \(Humanized.size(limit))",
        hint: "download it as a file, then use -i FILE")
    case .transfer(let fault, let location, let attempts):
      let tried = attempts < 2 ? "" : " (\(attempts) attempts without progress)"
      let hint = FaultMessages.hint(fault, at: location, isSaved: false)
      return DownloadError(error.code, start + FaultMessages.message(fault) + tried, hint: hint)
    case .outputMismatch(let mismatch):
      return DownloadError(
        error.code, start + ErrorMessages.told(mismatch), hint: "check the URL and the checksum behind '#'")
    default:
      return DownloadError(error.code, start + error.message, hint: error.hint())
    }
  }

  /// The content has a form that was not asked for.
  static func error(contentCoding: String, of list: Location) -> DownloadError {
    DownloadError(
      .protocolViolation,
      "cannot read the list \(list.withoutQuery): the server sent it with Content-Encoding \(contentCoding)",
      hint: "download it with another tool, then use -i FILE")
  }

  /// - Parameter directory: where its names lead.
  static func done(_ list: Location, byteCount: Int64, directory: Location) -> String {
    "downloaded the list \(list.withoutQuery), \(Humanized.size(byteCount)); its names lead to \(directory.text)"
  }
}
