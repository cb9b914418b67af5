internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// Turns failed local operations into errors of items: one function for each operation.
enum StorageErrors {
  static func writing(_ error: SystemCallError) -> DownloadError { failed(.writePart, error) }

  static func opening(_ error: SystemCallError) -> DownloadError { failed(.openPart, error) }

  static func opening(_ error: PartOpenError) -> DownloadError {
    switch error {
    case .foreign(let file): DownloadError(.foreignFile(file))
    case .systemCall(let cause): opening(cause)
    }
  }

  static func recording(_ error: SystemCallError) -> DownloadError { failed(.writeSidecar, error) }

  static func syncing(_ error: SystemCallError) -> DownloadError { failed(.syncContent, error) }

  static func reading(_ error: SystemCallError) -> DownloadError { failed(.readPart, error) }

  static func inspecting(_ error: SystemCallError) -> DownloadError { failed(.inspectTarget, error) }

  static func directory(_ error: DirectoryError) -> DownloadError {
    // The path of `-o` names a directory.
    if error.cause.errno == EISDIR { return DownloadError(.targetTaken(by: .directory)) }
    return failed(error.cause.call == .mkdirat ? .createDirectory : .useDirectory, path: error.path, error.cause)
  }

  /// The error, or the one of its directory where no file can be created in that.
  static func blamed(_ error: DownloadError, at place: TargetPlace) -> DownloadError {
    guard case .local(let failure) = error.cause, failure.kind == .forbidden || failure.errno == ENOENT else {
      return error
    }
    switch failure.operation {
    case .openSidecar, .writeSidecar, .openPart, .writePart, .nameTarget: break
    case .createDirectory, .useDirectory, .writeDirectory, .inspectTarget, .readPart, .syncContent, .removeSidecar,
      .syncDirectory, .writeOutput, .saveCookies:
      return error
    }
    guard let obstacle = place.directory.obstacle else { return error }
    return failed(.writeDirectory, path: place.directory.shownPath, SystemCallError(.openat, obstacle))
  }

  static func savingCookies(_ error: SystemCallError, path: [UInt8]) -> DownloadError {
    failed(.saveCookies, path: path, error)
  }

  static func output(_ error: SystemCallError) -> DownloadError { failed(.writeOutput, error) }

  static func publishing(_ error: PublicationError) -> DownloadError {
    switch error {
    // The sidecar is removed after the file has its name.
    case .systemCall(let cause) where cause.call == .unlinkat: failed(.removeSidecar, cause)
    case .systemCall(let cause) where cause.call == .fsync || cause.call == .fdatasync: syncing(cause)
    case .systemCall(let cause): failed(.nameTarget, cause)
    case .directorySync(let cause): failed(.syncDirectory, cause)
    case .targetAppeared: DownloadError(.targetTaken(by: .newFile))
    case .wrongLength(let found): DownloadError(.partLengthChanged(found: found))
    case .partReplaced: DownloadError(.partReplaced)
    }
  }

  static func locked(_ error: SidecarOpenError) -> DownloadError {
    switch error {
    case .held(let process): DownloadError(.locked(process: process))
    case .foreign(let file): DownloadError(.foreignFile(file))
    case .systemCall(let cause): failed(.openSidecar, cause)
    }
  }

  private static func failed(
    _ operation: LocalFailure.Operation, path: [UInt8]? = nil, _ error: SystemCallError
  ) -> DownloadError {
    // Without locks another run may take a target at any time.
    if error.call == .flock, error.errno == EWOULDBLOCK { return DownloadError(.locked(process: nil)) }
    return DownloadError(
      .local(
        LocalFailure(operation, path: path, call: error.call.rawValue, errno: error.errno, kind: error.kind)))
  }
}
