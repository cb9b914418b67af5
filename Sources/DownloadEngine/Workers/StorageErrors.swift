internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// Turns failed local operations into errors of items: one function for each operation.
enum StorageErrors {
  static func writing(_ error: SystemCallError) -> Failure { failed(.writePart, error) }

  static func opening(_ error: SystemCallError) -> Failure { failed(.openPart, error) }

  static func opening(_ error: PartOpenError) -> Failure {
    switch error {
    case .foreign(let file): Failure(.foreignFile(file))
    case .systemCall(let cause): opening(cause)
    }
  }

  static func recording(_ error: SystemCallError) -> Failure { failed(.writeSidecar, error) }

  static func syncing(_ error: SystemCallError) -> Failure { failed(.syncContent, error) }

  static func reading(_ error: SystemCallError) -> Failure { failed(.readPart, error) }

  static func inspecting(_ error: SystemCallError) -> Failure { failed(.inspectTarget, error) }

  static func directory(_ error: DirectoryError) -> Failure {
    // The path of `-o` names a directory.
    if error.cause.errno == EISDIR { return Failure(.targetTaken(by: .directory)) }
    return failed(error.cause.call == .mkdirat ? .createDirectory : .useDirectory, path: error.path, error.cause)
  }

  /// The error, or the one of its directory where no file can be created in that.
  static func blamed(_ error: Failure, at place: TargetPlace) -> Failure {
    guard case .local(let failure) = error.cause, failure.kind == .forbidden || failure.errno == ENOENT else {
      return error
    }
    switch failure.operation {
    case .openSidecar, .writeSidecar, .openPart, .writePart, .nameTarget: break
    case .createDirectory, .useDirectory, .writeDirectory, .inspectTarget, .readPart, .syncContent, .removeSidecar,
      .syncDirectory, .rename, .writeOutput, .saveCookies:
      return error
    }
    guard let obstacle = place.directory.obstacle else { return error }
    return failed(.writeDirectory, path: place.directory.shownPath, SystemCallError(.openat, obstacle))
  }

  static func output(_ error: SystemCallError) -> Failure { failed(.writeOutput, error) }

  static func publishing(_ error: PublicationError) -> Failure {
    switch error {
    // The sidecar is removed after the file has its name.
    case .systemCall(let cause) where cause.call == .unlinkat: failed(.removeSidecar, cause)
    case .systemCall(let cause) where cause.call == .fsync || cause.call == .fdatasync: syncing(cause)
    case .systemCall(let cause): failed(.nameTarget, cause)
    case .directorySync(let cause): failed(.syncDirectory, cause)
    case .targetAppeared: Failure(.targetTaken(by: .newFile))
    case .wrongLength(let found): Failure(.partLengthChanged(found: found))
    case .partReplaced: Failure(.partReplaced)
    case .stopped: Failure(.impossible(event: "stopped", phase: "publishing"))
    }
  }

  static func renaming(_ error: RenamingError) -> Failure {
    switch error {
    case .exists: Failure(.targetTaken(by: .file))
    case .otherFile:
      Failure(.worded(.usage, message: "the file is gone, or has changed since it was downloaded", hint: nil))
    case .notOurs(let cause): locked(cause)
    case .systemCall(let cause): failed(.rename, cause)
    }
  }

  static func locked(_ error: SidecarOpenError) -> Failure {
    switch error {
    case .held(let process): Failure(.locked(process: process))
    case .foreign(let file): Failure(.foreignFile(file))
    case .systemCall(let cause): failed(.openSidecar, cause)
    }
  }

  private static func failed(
    _ operation: LocalFailure.Operation, path: [UInt8]? = nil, _ error: SystemCallError
  ) -> Failure {
    // Without locks another run may take a target at any time.
    if error.call == .flock, error.errno == EWOULDBLOCK { return Failure(.locked(process: nil)) }
    return Failure(
      .local(
        LocalFailure(operation, path: path, call: error.call.rawValue, errno: error.errno, kind: error.kind)))
  }
}
