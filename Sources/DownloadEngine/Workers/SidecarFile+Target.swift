internal import DownloadCore
internal import DownloadFiles

extension SidecarFile {
  /// Takes the lock on a target.
  ///
  /// - Parameter isNew: whether nothing had the target's name when it was inspected.
  /// - Throws: `targetTaken` if another run has published the file between the inspection and the lock.
  static func open(_ place: TargetPlace, isNew: Bool) throws(Failure) -> SidecarFile {
    let opened: SidecarFile
    do { opened = try open(place) } catch { throw StorageErrors.locked(error) }
    var found = ExistingTarget.absent
    if isNew { do { found = try ExistingTarget.inspect(place) } catch { throw StorageErrors.inspecting(error) } }
    guard found == .absent else {
      opened.removeWithPart()
      throw Failure(.targetTaken(by: .newFile))
    }
    return opened
  }

  /// Puts a record that claims nothing in force, and makes a part file. Where that fails nothing claims anything.
  ///
  /// - Parameter content: what the part file gets; nil leaves it empty.
  func begin(with record: SidecarRecord, whole content: FilledBlock? = nil) throws(Failure) -> PartFile {
    do { try startOver(with: record) } catch {
      removeIfNew()
      throw StorageErrors.recording(error)
    }
    do throws(Failure) {
      let part: PartFile
      do { part = try PartFile.create(place) } catch { throw StorageErrors.opening(error) }
      do { if let content { try part.write(content.bytes, at: 0) } } catch { throw StorageErrors.writing(error) }
      return part
    } catch {
      // It claims nothing any more.
      removeWithPart()
      throw error
    }
  }
}
