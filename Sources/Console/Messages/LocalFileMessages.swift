import DownloadCore
import LocalFiles

/// What a person reads of files on this machine that are checked or listed.
enum LocalFileMessages {
  /// The text after the name of the file and a colon.
  static func message(_ problem: FileProblem) -> String {
    switch problem {
    case .missing: "there is no such file"
    case .obstacle(.directory): "it is a directory"
    case .obstacle(.symbolicLink): "it is a symbolic link, or in the place of a directory there is one"
    case .obstacle(.special): "it is a pipe, socket or device"
    case .failed(let operation, let errno): "cannot \(words(operation)): \(SystemMessages.reason(errno))"
    case .changed: "the file changed while it was read"
    case .uncomputable: "cannot compute the checksum: OpenSSL has disabled this algorithm"
    case .noThreads: "cannot create a thread to read its files"
    case .stopped: "interrupted"
    }
  }

  private static func words(_ operation: FileProblem.Operation) -> String {
    switch operation {
    case .open: "open the file"
    case .read: "read the file"
    case .list: "read the directory"
    case .create: "create it"
    case .write: "write it"
    case .move: "move it"
    case .sync: "sync it to disk"
    case .remove: "remove it"
    }
  }

  static func hint(_ problem: FileProblem) -> String? {
    switch problem {
    case .changed: "run the same command again when nothing writes to the file"
    case .uncomputable: "enable it in openssl.cnf (providers, default_properties)"
    case .noThreads: "raise the limits on processes and memory (ulimit -u, -v)"
    case .missing, .obstacle, .failed, .stopped: nil
    }
  }

  /// The text after the name and a colon.
  static func message(_ reason: LeftOutFile.Reason) -> String {
    switch reason {
    case .symbolicLink: "a symbolic link"
    case .special: "a pipe, socket or device"
    case .reservedName: "an unfinished download or a temporary file of swiftget"
    }
  }

  /// The text after the name of the file and a colon.
  static func message(_ difference: CheckVerdict.Difference) -> String {
    switch difference {
    case .length(let found, let expected): "it has \(found) bytes, expected \(expected)"
    case .digest(let mismatch): ErrorMessages.told(mismatch)
    case .pieceCount(let found, let expected): "it has \(found) pieces, expected \(expected)"
    }
  }

  /// Of a file whose list has only digests of unknown algorithms.
  static let uncomparable = "not verified: the list has only checksums of unknown algorithms for it"

  /// The error of a run that one file ends.
  static func error(_ failure: FileFailure) -> Failure {
    Failure(
      .localIO, "\(Diagnostic.escaped(failure.name)): \(message(failure.problem))", hint: hint(failure.problem))
  }

  /// - Parameter failure: with the directory of the file.
  static func error(ofTemporaryFile failure: FileFailure) -> Failure {
    let directory = Diagnostic.escaped(failure.name)
    return Failure(
      .localIO, "the lists need a temporary file in \(directory): \(message(failure.problem))",
      hint: "set TMPDIR to a writable directory with free space")
  }

  /// - Parameter directory: that was to become a bag.
  static func error(_ refusal: BagInPlace.Refusal, directory: [UInt8]) -> Failure {
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
