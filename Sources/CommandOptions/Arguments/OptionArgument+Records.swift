internal import DownloadCore
internal import DownloadWords

extension OptionArgument {
  func failureLimit() throws(Failure) -> FailureLimit {
    guard let limit = FailureLimit(text: bytes) else {
      throw refused(
        "is not a number of files",
        hint: "use a number such as 10, or a share of all files such as 5%")
    }
    return limit
  }

  /// The path of a file that the run writes about itself.
  func recordPath() throws(Failure) -> [UInt8] { try ownPath("the file is not written to standard output") }

  /// The path of a file that the run writes besides downloads.
  ///
  /// - Parameter refusal: of `-`, which is standard output elsewhere; nil where it is a name as any other.
  func ownPath(
    _ refusal: String? = nil, hint: String = "name a file; ./- is one with this name"
  ) throws(Failure) -> [UInt8] {
    if let refusal, bytes == [UInt8(ascii: "-")] { throw Failure(.usage, "\(spelling): \(refusal)", hint: hint) }
    let path = try path()
    guard !TargetName.isReserved(path) else {
      throw refused("cannot be its file: \(RequestMessages.reason(.reservedSuffix))", hint: "choose another name")
    }
    return path
  }
}
