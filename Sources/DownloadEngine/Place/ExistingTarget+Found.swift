internal import DownloadCore
internal import DownloadFiles

/// What stands in a target's place, as `ExistingTargetPolicy` judges it.
extension ExistingTarget {
  /// The attributes that decide about the existing target of a request.
  static func wantedAttributes(for request: FileRequest, _ settings: TargetSettings) -> WantedAttributes {
    ExistingTargetPolicy.asksServer(for: request, settings: settings) ? .markAndEntityTag : .mark
  }

  /// - Parameter urlHash: of the request's first URL.
  func found(
    for request: FileRequest, urlHash: @autoclosure () -> UInt64, _ settings: TargetSettings
  ) -> ExistingTargetPolicy.Found {
    switch self {
    case .absent, .special: return .absent
    case .symbolicLink, .specialLink: return .symbolicLink
    case .directory: return .directory
    case .regular(let file):
      // Where there are digests they decide, and no URL.
      let mark =
        request.digests.isEmpty || request.isNamedByNetwork ? file.mark(for: request, urlHash: urlHash()) : .none
      let isOriginal = mark == .ofOtherURL || mark == .matching && file.markedURLHash == urlHash()
      return .file(
        LocalCopy(
          modified: file.modified.seconds, size: file.size, mark: mark, entityTag: isOriginal ? file.entityTag : nil,
          isDated: file.entityTag != nil || file.verified?.isDated ?? (file.modified.nanoseconds == 0)),
        isVerified: vouchedDigest(of: request, settings) != nil)
    }
  }

  /// The expected digest that the file was verified against, if the file is unchanged since.
  func vouchedDigest(of request: FileRequest, _ settings: TargetSettings) -> VerifiedDigest? {
    guard case .regular(let file) = self, let mark = file.believedMark, settings.ifExists(for: request) != .keep else {
      return nil
    }
    return VerifiedDigest(request.digests, vouchedFor: mark.digest)
  }

  /// Whether a run of ours has left the file as it is.
  var isMarked: Bool { if case .regular(let file) = self { file.believedMark != nil } else { false } }

  /// In bytes; 0 where there is no regular file.
  var size: Int64 { if case .regular(let file) = self { file.size } else { 0 } }

  /// - Throws: where a name from a list belongs to a pipe or a device, or to a link to one.
  func requireFile() throws(Failure) {
    if self == .special { throw Failure(.targetTaken(by: .special)) }
    if self == .specialLink { throw Failure(.targetTaken(by: .symbolicLink)) }
  }
}

extension ExistingTarget.RegularFile {
  /// - Parameter urlHash: of the request's first URL.
  fileprivate func mark(for request: FileRequest, urlHash: @autoclosure () -> UInt64) -> LocalCopy.Mark {
    guard let verified else { return .none }
    guard verified.names(size: size, modified: modified) else { return .broken }
    guard let hash = markedURLHash else { return .none }
    let isOfRequest =
      hash == urlHash()
      || request.mirrors.dropFirst().contains { StableHash.fnv1a($0.location.text) == hash }
    if !isOfRequest { return .ofOtherURL }
    // Something has been done to the file, which may have been no more than a chmod or a link.
    return believedMark == nil ? .none : .matching
  }
}
