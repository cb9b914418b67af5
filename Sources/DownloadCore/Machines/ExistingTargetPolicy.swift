/// What a target that is there already means for a request.
package enum ExistingTargetPolicy {
  package enum Found: Hashable, Sendable {
    case absent
    /// - Parameters:
    ///   - vouching: our attribute says that the file has not been touched since it was verified against one of the
    ///     wanted digests, or, where none is wanted, since it was fetched from this URL.
    ///   - modified: Unix seconds.
    ///   - entityTag: what the server told when the file was fetched, if the file has not changed since.
    case file(size: Int64, vouching: Bool, modified: Int64, entityTag: EntityTag? = nil)
    case symbolicLink
    case directory
  }

  package enum Decision: Hashable, Sendable {
    /// Nothing of it is there; or what is there gets replaced by a complete download.
    case download(replacing: Bool)
    /// Right as it is, no request.
    case keep
    /// Its digests decide: right is kept, wrong is replaced.
    case hash
    /// One request compares the length.
    case compareLength(Int64)
    /// Replaced where the server has a newer one.
    case update(LocalCopy)
    case refuse(DownloadError)
  }

  package static func decision(
    on found: Found, digests: [ContentDigest], expectedLength: Int64?, settings: DownloadSettings
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
        if settings.timestamping, digests.isEmpty {
          return .update(LocalCopy(modified: modified, size: size, entityTag: entityTag))
        }
        if vouching { return .keep }
      case .verify: break
      }
      if digests.isEmpty { return vouching ? .keep : .compareLength(size) }
      if let expectedLength, expectedLength != size { return .download(replacing: true) }
      return .hash
    }
  }
}
