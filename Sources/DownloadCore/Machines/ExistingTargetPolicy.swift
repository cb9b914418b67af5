/// Decides what to do with an existing target.
package enum ExistingTargetPolicy {
  package enum Found: Hashable, Sendable {
    case absent
    /// - Parameters:
    ///   - vouching: an attribute says that the file is unchanged since it was verified against one of the expected
    ///     digests or, without an expected digest, since it was downloaded from this URL.
    ///   - modified: seconds since 1970.
    ///   - entityTag: the tag in the answer that brought the file; nil if the file has changed since.
    case file(size: Int64, vouching: Bool, modified: Int64, entityTag: EntityTag? = nil)
    case symbolicLink
    case directory
  }

  package enum Decision: Hashable, Sendable {
    /// Download the whole file; `replacing` if something with its name exists.
    case download(replacing: Bool)
    /// Keep the file without a request.
    case keep
    /// Hash the file: keep it if it matches its digests or, where only pieces have digests, theirs; replace it otherwise.
    case hash
    /// Send a request and compare the length.
    case compareLength(Int64)
    /// Replace the file if the server has a newer one.
    case update(LocalCopy)
    case refuse(DownloadError)
  }

  /// Whether the server is asked for a newer file, whatever the mark of the existing one says.
  package static func asksServer(for request: DownloadRequest, settings: DownloadSettings) -> Bool {
    settings.ifExists == .ask && settings.timestamping && request.digests.isEmpty && request.pieces == nil
  }

  package static func decision(
    on found: Found, for request: DownloadRequest, settings: DownloadSettings
  ) -> Decision {
    switch found {
    case .absent: return .download(replacing: false)
    case .directory:
      return .refuse(DownloadError(.targetTaken(by: .directory)))
    case .symbolicLink:
      switch settings.ifExists {
      case .replace: return .download(replacing: true)
      case .keep: return .keep
      case .ask, .verify, .fail:
        // A link is never written through.
        return .refuse(DownloadError(.targetTaken(by: .symbolicLink)))
      }
    case .file(let size, let vouching, let modified, let entityTag):
      switch settings.ifExists {
      case .fail:
        return .refuse(DownloadError(.targetTaken(by: .file)))
      case .keep: return .keep
      case .replace: return .download(replacing: true)
      case .ask:
        if asksServer(for: request, settings: settings) {
          return .update(LocalCopy(modified: modified, size: size, entityTag: entityTag))
        }
      case .verify: break
      }
      // A mark tells nothing of a length or of pieces that the list gives now.
      let hasLength = request.expectedLength.map { $0 == size } ?? true
      if request.digests.isEmpty {
        if let pieces = request.pieces { return hasLength && pieces.cover(size) ? .hash : .download(replacing: true) }
        return vouching && hasLength ? .keep : .compareLength(size)
      }
      if !hasLength { return .download(replacing: true) }
      return vouching && settings.ifExists == .ask ? .keep : .hash
    }
  }
}
