import DownloadCore
import Glibc
import LocalFiles

/// The index of the finished files of a run's lists, and what the run and its repetition have in common.
struct ListIndex {
  let index: FinishedIndex
  private let invocation: Invocation
  /// Stands for the command, its options and the lists as they are now; nil where a run has to read its lists.
  private let stamp: UInt64?

  /// Seconds for which a list must not have changed, or a change in the same moment could be missed.
  private static let quietTime: Int64 = 2

  /// Nil for runs without lists, for those that believe no marks, and where the user has no cache directory.
  init?(_ invocation: Invocation) {
    let settings = invocation.settings
    guard !invocation.inputs.isEmpty, !invocation.isAtomic, settings.syncs, settings.ifExists == .ask,
      !settings.timestamping, let directory = Self.directory(.process)
    else { return nil }
    self.invocation = invocation
    index = FinishedIndex(directory: directory, name: Self.name(of: invocation))
    stamp = Self.stamp(of: invocation)
  }

  /// The files of the run, if an earlier one has left all of them and nothing has changed since.
  var allFiles: (count: Int, byteCount: Int64)? {
    stamp.flatMap { index.allFiles(stamp: $0, directory: invocation.directory ?? []) }
  }

  /// - Parameter isComplete: whether every file of the run is in place.
  func save(isWhole: Bool, isComplete: Bool, itemCount: Int?) {
    let isSame = isComplete && stamp != nil && stamp == Self.stamp(of: invocation) && Self.areQuiet(invocation.inputs)
    index.save(isWhole: isWhole, stamp: isSame ? stamp : nil, itemCount: itemCount)
  }

  /// The hash of the lists, the directory and the shard.
  private static func name(of invocation: Invocation) -> UInt64 {
    let working = AbsolutePath.of(directory: [])
    let lists = invocation.inputs.map { TargetName.isURL($0) ? $0 : AbsolutePath.of($0, in: working) }
    let texts = [AbsolutePath.of(directory: invocation.directory ?? []), Array((invocation.shard?.text ?? "").utf8)]
    return hash(texts + lists)
  }

  /// Nil for a run that tells more of its files than that they are there, that has other inputs than regular files, or
  /// options whose meaning depends on more than these.
  private static func stamp(of invocation: Invocation) -> UInt64? {
    guard invocation.work == .download, invocation.urls.isEmpty, invocation.verbosity == 0,
      invocation.progress != .json, invocation.report == nil, invocation.failed == nil, invocation.lock == nil,
      invocation.frozen == nil, invocation.log.path == nil, !invocation.keepsGoing, invocation.signatures.keys.isEmpty,
      invocation.savedCookies == nil, !invocation.settings.takesSuggestedNames,
      let configuration = ConfigurationFile.usualPath(.process).map({ stated($0) ?? Array("none".utf8) })
    else { return nil }
    let arguments = Command.processArguments
    if arguments.contains(where: { $0.starts(with: Array("--conf".utf8)) }) { return nil }
    var texts = [Array(Generator.version.utf8), AbsolutePath.of(directory: []), configuration]
    texts += [Environment.process["SWIFTGET_OPTIONS"] ?? []] + arguments
    for list in invocation.inputs {
      guard let stated = stated(list) else { return nil }
      texts.append(stated)
    }
    return max(1, hash(texts))
  }

  /// Identifies the content of a regular file; nil for anything else.
  private static func stated(_ path: [UInt8]) -> [UInt8]? {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ")
    return Array("\(status.st_dev) \(status.st_ino) \(status.st_size) \(times)".utf8)
  }

  private static func areQuiet(_ lists: [[UInt8]]) -> Bool {
    lists.allSatisfy { list in
      var status = stat()
      return list.withCString { stat($0, &status) } == 0 && Int64(time(nil)) - Int64(status.st_ctim.tv_sec) > quietTime
    }
  }

  private static func hash(_ texts: [[UInt8]]) -> UInt64 {
    // No path or argument has a zero.
    texts.reduce(StableHash.seed) { StableHash.fnv1a($1 + [0], continuing: $0) }
  }

  /// Our directory in the cache directory of the user (XDG Base Directory Specification); nil in the home of another one,
  /// which a program with the rights of root may have been given.
  static func directory(_ environment: Environment) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    if let cache = environment["XDG_CACHE_HOME"], cache.first == slash { return cache + Array("/swiftget".utf8) }
    guard let home = environment["HOME"], home.first == slash, FinishedIndex.isOwn(home) else { return nil }
    return home + Array("/.cache/swiftget".utf8)
  }
}
