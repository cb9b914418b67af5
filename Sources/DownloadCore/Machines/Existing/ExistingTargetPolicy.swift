/// Decides what to do with an existing target.
package enum ExistingTargetPolicy {
  package enum Found: Hashable, Sendable {
    case absent
    /// - Parameter isVerified: whether a mark says that the file is unchanged since it was verified against one of the
    ///   expected digests.
    case file(LocalCopy, isVerified: Bool)
    case symbolicLink
    case directory
  }

  package enum Treatment: Hashable, Sendable {
    /// Download the whole file; `replacing` if something with its name exists.
    case download(replacing: Bool)
    /// Keep the file without a request.
    case keep
    /// Hash the file: keep it if it matches its digests or, where only pieces have digests, theirs. Otherwise replace it,
    /// if `orReplace`, or fail.
    case hash(orReplace: Bool)
    /// Send a request and compare the length and, with a file of another URL, the validators.
    case compareLength(LocalCopy)
    /// Replace the file if the server has a newer one.
    case update(LocalCopy)
    case refuse(Failure)
  }

  /// Whether the server is asked for a newer file, whatever the mark of the existing one says.
  package static func asksServer(for request: FileRequest, settings: TargetSettings) -> Bool {
    settings.ifExists(for: request) == .ask && settings.timestamping(for: request) && request.digests.isEmpty
      && request.pieces == nil
  }

  package static func treatment(
    of found: Found, for request: FileRequest, settings: TargetSettings
  ) -> Treatment {
    switch found {
    case .absent: return .download(replacing: false)
    case .directory:
      return .refuse(Failure(.targetTaken(by: .directory)))
    case .symbolicLink:
      switch settings.ifExists(for: request) {
      case .replace: return .download(replacing: true)
      case .keep: return .keep
      case .ask, .verify, .fail:
        // A link is never written through.
        return .refuse(Failure(.targetTaken(by: .symbolicLink)))
      }
    case .file(let copy, let isVerified):
      switch settings.ifExists(for: request) {
      case .fail: return .refuse(Failure(.targetTaken(by: .file)))
      case .keep: return .keep
      case .replace: return .download(replacing: true)
      case .ask, .verify: return treatment(of: copy, isVerified: isVerified, for: request, settings: settings)
      }
    }
  }

  private static func treatment(
    of copy: LocalCopy, isVerified: Bool, for request: FileRequest, settings: TargetSettings
  ) -> Treatment {
    // The server might name any file of the user.
    let mayReplace = !request.isNamedByNetwork || copy.mark == .matching
    let replacement =
      mayReplace ? Treatment.download(replacing: true) : .refuse(Failure(.targetTaken(by: .unmarkedFile)))
    // A mark tells nothing of a length or of pieces that the list gives now.
    let hasLength = request.expectedLength.map { $0 == copy.size } ?? true
    if !request.digests.isEmpty {
      if !hasLength { return replacement }
      return isVerified && settings.ifExists(for: request) == .ask ? .keep : .hash(orReplace: mayReplace)
    }
    if let pieces = request.pieces {
      return hasLength && pieces.cover(copy.size) ? .hash(orReplace: mayReplace) : replacement
    }
    if asksServer(for: request, settings: settings), mayReplace { return .update(copy) }
    return copy.mark == .matching && hasLength && !asksServer(for: request, settings: settings)
      ? .keep : .compareLength(copy)
  }
}
