import DownloadCore
import LocalFiles

/// Where the index of a list's finished files is.
enum ListIndex {
  /// The index for the lists of a run and its directory; nil for runs without lists, for those that believe no marks, and
  /// where the user has no cache directory.
  static func open(for invocation: Invocation) -> FinishedIndex? {
    let settings = invocation.settings
    guard !invocation.inputs.isEmpty, !invocation.isAtomic, settings.syncs, settings.ifExists == .ask,
      !settings.timestamping, let directory = directory(.process)
    else { return nil }
    return FinishedIndex(directory: directory, name: name(of: invocation))
  }

  /// The hash of what a run and its repetition have in common.
  private static func name(of invocation: Invocation) -> UInt64 {
    let working = AbsolutePath.of(directory: [])
    let lists = invocation.inputs.map { TargetName.isURL($0) ? $0 : AbsolutePath.of($0, in: working) }
    let texts = [AbsolutePath.of(directory: invocation.directory ?? []), Array((invocation.shard?.text ?? "").utf8)]
    // No path has a zero.
    return (texts + lists).reduce(StableHash.seed) { StableHash.fnv1a($1 + [0], continuing: $0) }
  }

  /// Our directory in the cache directory of the user (XDG Base Directory Specification); nil in the home of another one,
  /// which a program with the rights of root may have been given.
  private static func directory(_ environment: Environment) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    if let cache = environment["XDG_CACHE_HOME"], cache.first == slash { return cache + Array("/swiftget".utf8) }
    guard let home = environment["HOME"], home.first == slash, FinishedIndex.isOwn(home) else { return nil }
    return home + Array("/.cache/swiftget".utf8)
  }
}
