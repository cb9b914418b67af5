internal import DownloadCore
internal import FileStore

/// Turns failed system calls into errors of items: one function for each operation.
enum StorageErrors {
  static func writing(_ error: SystemCallError) -> DownloadError { failed("cannot write the part file", error) }

  static func opening(_ error: SystemCallError) -> DownloadError { failed("cannot open the part file", error) }

  static func opening(_ error: PartOpenError) -> DownloadError {
    switch error {
    case .foreign(let file): foreign(file)
    case .systemCall(let cause): opening(cause)
    }
  }

  static func recording(_ error: SystemCallError) -> DownloadError { failed("cannot write the sidecar", error) }

  static func syncing(_ error: SystemCallError) -> DownloadError {
    failed("cannot bring the data to stable storage", error)
  }

  static func reading(_ error: SystemCallError) -> DownloadError { failed("cannot read back what was written", error) }

  static var uncomputable: DownloadError {
    DownloadError(
      .localIO, "cannot compute its checksum: OpenSSL has the algorithm switched off",
      hint: "see the providers and default_properties in openssl.cnf")
  }

  static func inspecting(_ error: SystemCallError) -> DownloadError { failed("cannot look at the target", error) }

  static func directory(_ error: SystemCallError) -> DownloadError {
    failed("cannot use the target's directory", error)
  }

  static func output(_ error: SystemCallError) -> DownloadError { failed("cannot write the output", error) }

  static func publishing(_ error: PublicationError) -> DownloadError {
    switch error {
    // The sidecar is removed after the file has its name.
    case .systemCall(let cause) where cause.call == .unlinkat:
      failed("the file is in place, but its sidecar cannot be removed", cause)
    case .systemCall(let cause) where cause.call == .fsync || cause.call == .fdatasync: syncing(cause)
    case .systemCall(let cause): failed("cannot give the file its name", cause)
    case .directorySync(let cause): failed("the file is in place, but its directory cannot be synced", cause)
    case .targetAppeared:
      DownloadError(
        .localIO, "a file with this name has appeared meanwhile",
        hint: "move it away or use --if-exists replace, then run the same command again")
    case .wrongLength(let found):
      DownloadError(.localIO, "the part file has \(found) bytes: somebody else has changed it")
    case .partReplaced: DownloadError(.localIO, "another file has the part file's name: somebody has put it there")
    }
  }

  static func locked(_ error: SidecarOpenError) -> DownloadError {
    switch error {
    case .held(let process):
      DownloadError(
        .locked, "another run works on it" + (process.map { " (process \($0))" } ?? ""),
        hint: "wait until that run has ended")
    case .foreign(let file): foreign(file)
    case .systemCall(let cause): failed("cannot open the sidecar", cause)
    }
  }

  static func foreign(_ file: ForeignFile) -> DownloadError {
    DownloadError(
      .localIO, "\(described(file)), so it is left alone", hint: "move it away, or choose another directory with -d")
  }

  /// `x.swiftget belongs to another user`
  static func described(_ file: ForeignFile) -> String {
    let name = String(decoding: file.name, as: UTF8.self)
    return switch file.reason {
    case .otherOwner: "\(name) belongs to another user"
    case .otherLinks: "\(name) has other names too (hard links)"
    case .unsigned: "\(name) is not a sidecar of swiftget"
    case .noSidecar: "\(name) stands there without a sidecar of swiftget"
    }
  }

  private static func failed(_ what: String, _ error: SystemCallError) -> DownloadError {
    if error.isOutOfSpace {
      return DownloadError(
        .diskFull, "\(what): \(error.reason)",
        hint: "free some space, then run the same command again: it goes on from here")
    }
    if error.isFileTooLarge {
      return DownloadError(
        .localIO, "\(what): \(error.reason)",
        hint: "raise the limit on file sizes (ulimit -f), or use a file system that takes larger files")
    }
    if error.isOutOfDescriptors {
      return DownloadError(.localIO, "\(what): \(error.reason)", hint: "raise the limit (ulimit -n), or lower --jobs")
    }
    if error.isForbidden {
      return DownloadError(
        .localIO, "\(what): \(error.reason)", hint: "choose another directory with -d, or make this one writable")
    }
    if error.isNameTooLong {
      return DownloadError(.localIO, "\(what): \(error.reason)", hint: "choose a shorter name with -o")
    }
    return DownloadError(.localIO, "\(what): \(error.reason)")
  }
}
