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
  func recordPath() throws(Failure) -> [UInt8] {
    guard bytes != [UInt8(ascii: "-")] else {
      throw Failure(
        .usage, "\(spelling): the file is not written to standard output",
        hint: "name a file; ./- is one with this name")
    }
    return try ownPath()
  }

  /// The path of a file that the run writes besides downloads.
  func ownPath() throws(Failure) -> [UInt8] {
    let path = try path()
    guard !TargetName.isReserved(path) else {
      throw refused("cannot be its file: \(RequestMessages.reason(.reservedSuffix))", hint: "choose another name")
    }
    return path
  }
}
