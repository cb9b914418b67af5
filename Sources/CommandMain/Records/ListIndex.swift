internal import CommandOptions
internal import DownloadCore
internal import DownloadLists
internal import DownloadScratch
internal import Glibc

/// The index of the finished files of a run's lists, and what the run and its repetition have in common.
struct ListIndex {
  let index: FinishedIndex
  private let invocation: Invocation
  private let inputs: DecidingInputs

  /// Seconds for which inputs must not have changed, or a change in the same moment could be missed.
  private static let quietTime: Int64 = 2

  /// Nil for runs without lists, for those that believe no marks, and where the user has no cache directory.
  ///
  /// - Parameter inputs: those that the run notes.
  init?(_ invocation: Invocation, _ inputs: DecidingInputs) {
    let settings = invocation.settings
    guard !invocation.lists.inputs.isEmpty, !invocation.naming.isAtomic, settings.target.syncs,
      settings.target.ifExists == .ask,
      !settings.target.timestamping, let directory = Self.directory(.process)
    else { return nil }
    self.invocation = invocation
    index = FinishedIndex(directory: directory, name: Self.name(of: invocation))
    self.inputs = inputs
  }

  /// The files of the run, if an earlier one has left all of them and nothing has changed since.
  var allFiles: (count: Int, byteCount: Int64)? {
    guard let command, let run = index.finishedRun, let hash = inputs.hash(of: run.inputs),
      FinishedRun(command, inputs: run.inputs, hash: hash) == run
    else { return nil }
    return index.allFiles(in: invocation.naming.directory ?? [])
  }

  /// - Parameter isComplete: whether every file of the run is in place.
  func save(isWhole: Bool, isComplete: Bool, itemCount: Int?) {
    var run: FinishedRun?
    // A run that meets a change of its inputs stands for neither state of them.
    if isComplete, let command, let (names, hash) = inputs.all, inputs.hash(of: names) == hash,
      Int64(time(nil)) - inputs.lastChange > Self.quietTime
    {
      run = FinishedRun(command, inputs: names, hash: hash)
    }
    index.save(isWhole: isWhole, run: run, itemCount: itemCount)
  }

  /// The hash of the lists, the directory and the shard.
  private static func name(of invocation: Invocation) -> UInt64 {
    let working = AbsolutePath.of(directory: [])
    let lists = invocation.lists.inputs.map { TargetName.isURL($0) ? $0 : AbsolutePath.of($0, in: working) }
    let texts = [
      AbsolutePath.of(directory: invocation.naming.directory ?? []), Array((invocation.lists.shard?.text ?? "").utf8),
    ]
    return hash(texts + lists)
  }

  /// The hash of the command and its working directory; nil for a run that tells more of its files than that they are there.
  private var command: UInt64? {
    guard invocation.work == .download, invocation.lists.urls.isEmpty, invocation.display.verbosity == 0,
      invocation.display.progress != .json, invocation.records.report == nil, invocation.records.failed == nil,
      invocation.records.lock == nil,
      invocation.records.log.path == nil, !invocation.lists.keepsGoing, invocation.records.savedCookies == nil,
      !invocation.settings.target.takesSuggestedNames
    else { return nil }
    let texts = [Array(programVersion.utf8), AbsolutePath.of(directory: [])]
    return Self.hash(texts + Command.processArguments)
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

extension FinishedRun {
  /// - Parameters:
  ///   - command: its hash.
  ///   - hash: of the states of the inputs.
  fileprivate init(_ command: UInt64, inputs: [UInt8], hash: UInt64) {
    self.init(stamp: StableHash.fnv1a(hash.bytes, continuing: command), inputs: inputs)
  }
}
