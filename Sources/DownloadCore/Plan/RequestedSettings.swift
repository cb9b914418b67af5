/// What holds for a request, whose own settings count more.
///
/// Inlined, because a request that is passed to another module is copied.
extension TargetSettings {
  @inlinable package func verifyCommand(for request: FileRequest) -> VerifyCommand? {
    request.settings?.verifyCommand ?? verifyCommand
  }

  @inlinable package func nameSource(for request: FileRequest) -> NameSource {
    request.settings?.nameSource ?? nameSource
  }

  /// Digests that are computed of the file besides the expected ones. They show what a command has done to it.
  @inlinable package func computedAlgorithms(for request: FileRequest) -> [DigestAlgorithm] {
    if !recordedAlgorithms.isEmpty { return recordedAlgorithms }
    return verifyCommand(for: request) != nil || request.settings?.onComplete != nil ? [.sha256] : []
  }

  /// What is done with a file that has the name of a request's target.
  @inlinable package func ifExists(for request: FileRequest) -> IfExists { request.settings?.ifExists ?? ifExists }

  /// Whether a file that has that name gives way to a newer version.
  @inlinable package func timestamping(for request: FileRequest) -> Bool {
    request.settings?.timestamping ?? timestamping
  }
}
