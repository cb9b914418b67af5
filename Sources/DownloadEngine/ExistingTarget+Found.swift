internal import DownloadCore
internal import FileStore

/// What stands in a target's place, as `ExistingTargetPolicy` judges it.
extension ExistingTarget {
  /// The attributes that decide about the existing target of a request.
  static func wantedAttributes(for request: DownloadRequest, _ settings: DownloadSettings) -> WantedAttributes {
    if !settings.timestamping { return .mark }
    return ExistingTargetPolicy.asksServer(for: request, settings: settings)
      ? .entityTag : .markAndEntityTag
  }

  /// - Parameter urlHash: of the request's first URL.
  func found(
    for request: DownloadRequest, urlHash: @autoclosure () -> UInt64, _ settings: DownloadSettings
  ) -> ExistingTargetPolicy.Found {
    switch self {
    case .absent, .special: return .absent
    case .symbolicLink: return .symbolicLink
    case .directory: return .directory
    case .regular(let file):
      let isVouching =
        request.digests.isEmpty
        ? file.isVouched(forURLHash: urlHash()) : vouchedDigest(of: request, settings) != nil
      return .file(
        size: file.size, vouching: isVouching, modified: file.modified.seconds,
        // Present only with --timestamping.
        entityTag: file.entityTag.flatMap { file.isVouched(forURLHash: urlHash()) ? $0 : nil })
    }
  }

  /// The expected digest that the file was verified against, if the file is unchanged since.
  func vouchedDigest(of request: DownloadRequest, _ settings: DownloadSettings) -> VerifiedDigest? {
    guard case .regular(let file) = self, let mark = file.believedMark, settings.ifExists != .keep else { return nil }
    return VerifiedDigest(request.digests, vouchedForBy: mark)
  }

  /// Whether a run of ours has left the file as it is.
  var isMarked: Bool { if case .regular(let file) = self { file.believedMark != nil } else { false } }

  /// In bytes; 0 where there is no regular file.
  var size: Int64 { if case .regular(let file) = self { file.size } else { 0 } }

  /// - Throws: where a name from a list belongs to a pipe or a device.
  func requireFile() throws(DownloadError) {
    if self == .special { throw DownloadError(.targetTaken(by: .special)) }
  }
}
