internal import DownloadCore
internal import Glibc

/// Why the files of a target keep their names.
package enum RenamingError: Error, Equatable, Sendable {
  /// Something has the new name, or that of its part file or sidecar.
  case exists
  /// Another file has taken the place of the finished one, or it is gone.
  case otherFile
  /// Another run holds the target, or a file that is not ours has the name of its sidecar.
  case notOurs(SidecarOpenError)
  case systemCall(SystemCallError)
}

extension RenamingError {
  fileprivate init(_ error: SystemCallError) { self = error.errno == EEXIST ? .exists : .systemCall(error) }
}

/// Gives the files of a target the names of another one, within one file system. Nothing is replaced.
package enum TargetRenaming {
  /// Whether something is stored of an unfinished file.
  package static func isStored(_ place: TargetPlace) -> Bool {
    [place.partName, place.sidecarName].contains { (try? SystemCalls.fstatat(place.directory.raw, $0)) != nil }
  }

  /// Renames what is stored of an unfinished file, if there is something.
  ///
  /// The part file comes first: one without a sidecar claims nothing, so that a crash in between costs bytes only.
  package static func renameUnfinished(_ old: TargetPlace, to new: TargetPlace) throws(RenamingError) {
    let sidecar: SidecarFile?
    do { sidecar = try SidecarFile.openExisting(old) } catch { throw .notOurs(error) }
    try require(free: [new.name, new.partName, new.sidecarName], in: new.directory)
    let hasPart = try isThere(old.partName, in: old.directory)
    if hasPart { try move(old.partName, in: old.directory, to: new.partName, in: new.directory) }
    guard sidecar != nil else { return }
    do throws(RenamingError) {
      try move(old.sidecarName, in: old.directory, to: new.sidecarName, in: new.directory)
    } catch {
      if hasPart { try? move(new.partName, in: new.directory, to: old.partName, in: old.directory) }
      throw error
    }
  }

  /// Renames a finished file.
  package static func rename(
    _ file: PlacedFile, _ old: TargetPlace, to new: TargetPlace
  ) throws(RenamingError) {
    let isThere: Bool
    do { isThere = try file.isAt(old) } catch { throw .systemCall(error) }
    guard isThere else { throw .otherFile }
    try require(free: [new.partName, new.sidecarName], in: new.directory)
    do { try MarkedFile.move(old.name, from: old.directory.raw, to: new.name, in: new.directory.raw) } catch {
      throw RenamingError(error)
    }
  }

  private static func move(
    _ old: [UInt8], in source: DirectoryHandle, to new: [UInt8], in target: DirectoryHandle
  ) throws(RenamingError) {
    do { try FileTree.move(source.raw, old, to: new, in: target.raw) } catch { throw RenamingError(error) }
  }

  private static func require(free names: [[UInt8]], in directory: DirectoryHandle) throws(RenamingError) {
    for name in names where try isThere(name, in: directory) { throw .exists }
  }

  private static func isThere(_ name: [UInt8], in directory: DirectoryHandle) throws(RenamingError) -> Bool {
    do { return try SystemCalls.statusIfThere(directory.raw, name) != nil } catch { throw .systemCall(error) }
  }
}
