/// What an earlier run may have left beside a target.
package enum Leftovers {
  /// Whether a sidecar or a part file stands there: then the target is locked and looked into before anything is
  /// fetched. Two cheap calls for the usual no.
  package static func exist(at place: TargetPlace) -> Bool {
    let directory = place.directory.raw
    return (try? SystemCalls.fstatat(directory, StoredName.sidecar(of: place.name))) != nil
      || (try? SystemCalls.fstatat(directory, StoredName.part(of: place.name))) != nil
  }
}
