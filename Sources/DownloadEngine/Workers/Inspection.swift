internal import DownloadCore
internal import DownloadFiles

/// A target of a list that may exist already. A class, because a list of finished files hands over one for each.
final class Inspection: Sendable {
  let item: ItemHandle
  let request: FileRequest
  let place: TargetPlace
  /// Its place in the previous set, which counts where nothing is at `place`; nil where there is none.
  let previous: TargetPlace?
  let wanted: ExistingTarget.WantedAttributes
  /// What an index remembers of the file at `place`.
  let noted: FinishedFile?
  /// Whether a run that was killed may have left the name of the file at `place` on no stable storage.
  let syncsName: Bool

  init(
    _ item: ItemHandle, _ request: FileRequest, place: TargetPlace, previous: TargetPlace?,
    wanted: ExistingTarget.WantedAttributes, noted: FinishedFile?, syncsName: Bool
  ) {
    self.item = item
    self.request = request
    self.place = place
    self.previous = previous
    self.wanted = wanted
    self.noted = noted
    self.syncsName = syncsName
  }

  func result() -> Result<ExistingTarget, Failure> {
    do {
      let existing = try ExistingTarget.inspect(place, reading: wanted, noted: noted)
      if syncsName, case .regular = existing {
        do { try place.directory.sync() } catch { return .failure(StorageErrors.publishing(.directorySync(error))) }
      }
      guard existing == .absent, let previous else { return .success(existing) }
      return .success(try ExistingTarget.inspect(previous, reading: wanted))
    } catch {
      return .failure(StorageErrors.inspecting(error))
    }
  }
}

typealias Inspected = (inspection: Inspection, result: Result<ExistingTarget, Failure>)
