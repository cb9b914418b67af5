package import DownloadCore
internal import DownloadFiles

/// What a run would begin with for a request.
package enum PlannedStart: Sendable {
  /// The file is kept: it was verified against this digest, or it is from this URL, or the options keep it.
  case keep(VerifiedDigest?)
  /// The file is hashed: it is kept where it matches its digests or those of its pieces, and replaced otherwise.
  case hash(byteCount: Int64)
  /// The server is asked for the length: the file is kept where that is equal.
  case compareLength(Int64)
  /// The server is asked for a newer file.
  case update
  /// The server names the file.
  case askName
  /// So many bytes of an earlier run are kept, of so many in all, where that is known.
  case resume(byteCount: Int64, of: Int64?)
  /// The whole file is downloaded.
  ///
  /// - Parameters:
  ///   - isReplacing: whether something has its name.
  ///   - remark: why nothing of an earlier run is kept.
  case download(isReplacing: Bool, remark: Remark?)
  /// The content goes to standard output, a pipe or a device.
  case stream
  case refuse(Failure)
}

/// Tells how the engine would begin files (`--dry-run`). It asks no server and changes nothing on this machine.
///
/// The decisions are those of the engine: `ExistingTargetPolicy`, `LeftoverPolicy`. Locks are not taken, so a file that
/// another run is downloading is one to resume.
package final class StartPlanner {
  private let settings: RunSettings
  /// Nil where the directory is missing.
  private let root: TargetDirectory?
  /// For paths of the user where the directory is missing.
  private let working: TargetDirectory
  private let previous: PreviousSet?
  private let finished: (any FinishedFileIndex)?

  /// - Parameters: as for an engine.
  package init(
    settings: RunSettings, directory: [UInt8], previous: PreviousSet? = nil,
    finished: (any FinishedFileIndex)? = nil
  ) throws(Failure) {
    self.settings = settings
    self.previous = previous
    self.finished = finished
    do throws(DirectoryError) {
      working = try TargetDirectory.open(path: [], creating: false)
      do { root = try TargetDirectory.open(path: directory, creating: false) } catch {
        guard error.cause.isMissing else { throw error }
        root = nil
      }
    } catch {
      throw StorageErrors.directory(error)
    }
  }

  package func plan(for request: FileRequest) -> PlannedStart {
    if request.isNamedByAnswer { return .askName }
    do throws(Failure) {
      switch request.target {
      case .standardOutput, .inherited, .descriptor: return .stream
      case .path, .listed: return try plan(for: request, at: place(of: request.target))
      }
    } catch {
      return .refuse(error)
    }
  }

  /// Nil where a directory on the way is missing.
  private func place(of target: TargetChoice) throws(Failure) -> TargetPlace? {
    do throws(DirectoryError) {
      switch target {
      case .path(let path):
        guard let start = root ?? (path.first == UInt8(ascii: "/") ? working : nil) else { return nil }
        return try TargetDirectory.place(userPath: path, relativeTo: start, creating: false)
      case .listed(let components): return try root?.resolve(components, creating: false)
      case .standardOutput, .inherited, .descriptor: return nil
      }
    } catch {
      if error.cause.isMissing { return nil }
      throw StorageErrors.directory(error)
    }
  }

  private func plan(for request: FileRequest, at place: TargetPlace?) throws(Failure) -> PlannedStart {
    var existing = try inspect(place, for: request)
    if existing == .absent, let previous, case .listed(let components) = request.target {
      existing = try inspect(previous.place(of: components), for: request)
    }
    if existing == .special, case .path = request.target, request.source == nil { return .stream }
    try existing.requireFile()
    switch ExistingTargetPolicy.treatment(
      of: existing.found(
        for: request, urlHash: StableHash.fnv1a(request.mirrors[0].location.text), settings.target), for: request,
      settings: settings.target
    ).protecting(request, isMarked: existing.isMarked) {
    case .keep: return .keep(existing.vouchedDigest(of: request, settings.target))
    case .hash: return .hash(byteCount: existing.size)
    case .compareLength(let copy): return .compareLength(copy.size)
    case .refuse(let error): return .refuse(error)
    case .update: return try resumption(of: request, at: place) { _ in .update }
    case .download(let isReplacing):
      return try resumption(of: request, at: place) { .download(isReplacing: isReplacing, remark: $0) }
    }
  }

  private func inspect(_ place: TargetPlace?, for request: FileRequest) throws(Failure) -> ExistingTarget {
    guard let place else { return .absent }
    let wanted = ExistingTarget.wantedAttributes(for: request, settings.target)
    do { return try ExistingTarget.inspect(place, reading: wanted, noted: finished?.file(of: request)) } catch {
      throw StorageErrors.inspecting(error)
    }
  }

  /// - Parameter otherwise: how it begins if there is nothing to resume; gets the reason where there is one to tell.
  private func resumption(
    of request: FileRequest, at place: TargetPlace?, otherwise: (Remark?) -> PlannedStart
  ) throws(Failure) -> PlannedStart {
    guard let place else { return otherwise(nil) }
    let found: SidecarReading.Outcome
    do {
      guard let outcome = try SidecarFile.peek(place) else { return otherwise(nil) }
      found = outcome
    } catch {
      throw StorageErrors.locked(error)
    }
    do {
      switch found {
      case .empty: return otherwise(nil)
      case .unusable(let reason): return otherwise(.sidecarIgnored(reason))
      case .record(let record):
        switch try LeftoverPolicy.assess(
          record, request, settings, part: { () throws(PartOpenError) in try PartFile.peek(place) })
        {
        case .nothing: return otherwise(nil)
        case .startOver(_, let remark): return otherwise(remark)
        case .resume(let resumption):
          return .resume(byteCount: resumption.done.byteCount, of: resumption.representation.completeLength)
        }
      }
    } catch {
      throw StorageErrors.opening(error)
    }
  }
}
