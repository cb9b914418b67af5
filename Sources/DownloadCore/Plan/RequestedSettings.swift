/// What holds for a request, whose own settings count more.
extension TargetSettings {
  package func verifyCommand(for request: FileRequest) -> VerifyCommand? {
    request.settings?.verifyCommand ?? verifyCommand
  }

  package func nameSource(for request: FileRequest) -> NameSource { request.settings?.nameSource ?? nameSource }

  /// Digests that are computed of the file besides the expected ones. They show what the verify command has done to it.
  package func computedAlgorithms(for request: FileRequest) -> [DigestAlgorithm] {
    recordedAlgorithms.isEmpty && verifyCommand(for: request) != nil ? [.sha256] : recordedAlgorithms
  }
}

extension RunSettings {
  /// What is done with a file that has the name of a request's target.
  package func ifExists(for request: FileRequest) -> TargetSettings.IfExists {
    request.settings?.ifExists ?? target.ifExists
  }

  /// Whether a file that has that name gives way to a newer version.
  package func timestamping(for request: FileRequest) -> Bool { request.settings?.timestamping ?? target.timestamping }
}
