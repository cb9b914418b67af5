package import DownloadCore
internal import DownloadWords

extension LocalFileMessages {
  /// The text after the name and a colon.
  package static func message(_ reason: LeftOutFile.Reason) -> String {
    switch reason {
    case .symbolicLink: "a symbolic link"
    case .special: "a pipe, socket or device"
    case .reservedName: "an unfinished download or a temporary file of swiftget"
    }
  }

  /// - Parameter directory: that was to become a bag.
  package static func error(_ refusal: BagInPlace.Refusal, directory: [UInt8]) -> Failure {
    switch refusal {
    case .failed(let failure): return error(failure)
    case .isBag:
      return Failure(
        .localIO, "\(Diagnostic.escaped(directory)): the directory is a bag already",
        hint: "to make a new bag of its payload, use --write-manifest bagit -o BAG DIR/data")
    case .unlisted(let files):
      let name = files.first.map { Diagnostic.escaped($0.name) } ?? ""
      let reason = files.first.map { message($0.reason) } ?? ""
      return Failure(
        .localIO, "\(name): \(reason), which a bag cannot list",
        hint: "move it away, or make a bag without it in another place with -o BAG")
    case .collision(let name):
      return Failure(
        .localIO, "\(Diagnostic.escaped(name)): a file of this name is in data.swiftget-tmp already",
        hint: "an interrupted run has moved it there; rename one of the two, then run the same command again")
    }
  }
}
