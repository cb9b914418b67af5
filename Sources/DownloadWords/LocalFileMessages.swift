package import DownloadCore
package import DownloadScratch

/// What a person reads of files on this machine that are checked or listed.
package enum LocalFileMessages {
  /// The text after the name of the file and a colon.
  package static func message(_ problem: FileProblem) -> String {
    switch problem {
    case .missing: "there is no such file"
    case .obstacle(.directory): "it is a directory"
    case .obstacle(.symbolicLink): "it or a directory in its path is a symbolic link"
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

  package static func hint(_ problem: FileProblem) -> String? {
    switch problem {
    case .changed: "run the same command again when nothing writes to the file"
    case .uncomputable: "enable it in openssl.cnf (providers, default_properties)"
    case .noThreads: "raise the limits on processes and memory (ulimit -u, -v)"
    case .missing, .obstacle, .failed, .stopped: nil
    }
  }

  /// Of a file whose list has only digests of unknown algorithms.
  package static let uncomparable = "not verified: the list has only checksums of unknown algorithms for it"

  /// The error of a run that one file ends.
  package static func error(_ failure: FileFailure) -> Failure {
    Failure(
      .localIO, "\(Diagnostic.escaped(failure.name)): \(message(failure.problem))", hint: hint(failure.problem))
  }

  /// - Parameter failure: with the directory of the file.
  package static func error(ofTemporaryFile failure: FileFailure) -> Failure {
    let directory = Diagnostic.escaped(failure.name)
    return Failure(
      .localIO, "the lists need a temporary file in \(directory): \(message(failure.problem))",
      hint: "set TMPDIR to a writable directory with free space")
  }

  /// Why a file that the run writes about itself is not written.
  ///
  /// - Parameter option: that names it.
  package static func error(of option: Phrase, _ path: [UInt8], _ failure: FileFailure) -> Failure {
    Failure(
      .localIO, words: "the file of \(option) \(NamedFiles.shown(path)): \(message(failure.problem))",
      hint: Phrase(
        hint(failure.problem)
          ?? (failure.problem == .obstacle(.special)
            ? "name a regular file, which is replaced as a whole" : "name a file in a writable directory")))
  }
}
