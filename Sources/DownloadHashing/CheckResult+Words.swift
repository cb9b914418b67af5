internal import DownloadWords

extension LocalFileMessages {
  /// The text after the name of the file and a colon.
  package static func message(_ difference: CheckResult.Difference) -> String {
    switch difference {
    case .length(let found, let expected): "it has \(found) bytes, expected \(expected)"
    case .digest(let mismatch): ErrorMessages.told(mismatch)
    case .pieceCount(let found, let expected): "it has \(found) pieces, expected \(expected)"
    }
  }
}
