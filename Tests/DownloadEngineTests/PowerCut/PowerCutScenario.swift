import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Recorded runs of the engine against a server of this machine, and what they were to bring.
///
/// To be used by a process that does nothing else: the calls of all its threads are recorded.
struct PowerCutScenario {
  let service: FileService
  let server: ScriptedServer
  let requests: [FileRequest]
  let leftovers: [String: Content]
  private(set) var targets: [CutTarget]
  private(set) var phases: [Replay.Phase] = []

  /// - Parameters:
  ///   - files: names below the target directory, and what the server has under them.
  ///   - old: what stands under a name already.
  ///   - found: names under which another program has just written what is wanted.
  ///   - leftovers: other files that are there.
  ///   - replacements: what the server has later.
  init(
    _ files: [(name: String, content: Content)], old: [String: Content] = [:], found: Set<String> = [],
    leftovers: [String: Content] = [:], replacements: [String: Content] = [:], isVerified: Bool,
    _ configure: (inout FileService.Behaviour) -> Void
  ) throws {
    _ = (FileCreationMask.current, BootID.current)
    service = FileService(Dictionary(uniqueKeysWithValues: files.map { ("/" + $0.name, $0.content) })) {
      $0.replacements = Dictionary(uniqueKeysWithValues: replacements.map { ("/" + $0.key, $0.value) })
      configure(&$0)
    }
    self.leftovers = leftovers
    let server = try ScriptedServer(service)
    self.server = server
    var count = 0
    func expected(_ content: Content) -> ExpectedContent {
      count += 1
      return ExpectedContent(count, content)
    }
    targets = files.map { file in
      CutTarget(
        name: file.name, old: (found.contains(file.name) ? file.content : old[file.name]).map(expected),
        isOldDurable: !found.contains(file.name),
        versions: [expected(file.content)] + (replacements[file.name].map { [expected($0)] } ?? []))
    }
    requests = try files.enumerated().map { index, file in
      try request(
        index, server.url("/" + file.name), name: file.name, digests: isVerified ? [Self.digest(file.content)] : [])
    }
  }

  private static func digest(_ content: Content) throws -> ContentDigest {
    guard let computer = DigestComputer([.sha256]) else { throw TestSupportError("no SHA-256") }
    content.allBytes.withUnsafeBytes { computer.update($0) }
    return computer.finish()[0]
  }

  var replay: Replay {
    let hasAttributes = !phases.contains { $0.calls.contains { $0.call == .fsetxattr && $0.result < 0 } }
    return Replay(
      oracle: PowerCutOracle(targets: targets, hasAttributes: hasAttributes), leftovers: leftovers, phases: phases)
  }

  /// Runs the engine in `directory` and records it.
  mutating func record(
    in directory: TemporaryDirectory, faults: [Fault] = [], _ configure: (inout RunSettings) -> Void = { _ in }
  ) throws -> EngineRun {
    for index in targets.indices where phases.isEmpty {
      guard let old = targets[index].old else { continue }
      let path = directory.path(targets[index].name)
      try old.content.write(to: path)
      targets[index].oldModified = try SystemCalls.fstatat(SystemCalls.workingDirectory, Array(path.utf8)).modified
    }
    if phases.isEmpty { for (name, content) in leftovers { try content.write(to: directory.path(name)) } }
    var run: EngineRun?
    let calls = try FaultTable.recording(everyThread: true) {
      run = try FaultTable.withFaults(faults, everyThread: true) {
        try EngineRun(requests, into: directory, configure)
      }
    }
    phases.append(Replay.Phase(root: directory.path, calls: calls))
    return run!
  }

  /// Records a run that a time limit ends. On a machine that is too busy to receive anything before that, it is repeated.
  ///
  /// - Returns: the directory with what the run has left.
  mutating func recordCut(
    _ limit: Duration, _ configure: (inout RunSettings) -> Void = { _ in }
  ) throws -> TemporaryDirectory {
    for _ in 0..<10 {
      forget()
      let directory = try TemporaryDirectory()
      let run = try record(in: directory) {
        configure(&$0)
        $0.limits.maxTime = limit
      }
      if run.error()?.code == .deadline { return directory }
    }
    throw TestSupportError("no run ended early")
  }

  /// As if nothing had been run.
  mutating func forget() { phases = [] }

  /// As `record`, for a run that brings everything.
  mutating func recordWhole(
    in directory: TemporaryDirectory, faults: [Fault] = [], _ configure: (inout RunSettings) -> Void = { _ in }
  ) throws {
    let run = try record(in: directory, faults: faults, configure)
    guard run.end.failureCodes.isEmpty, run.end.progress.downloadedCount == requests.count else {
      throw TestSupportError("not everything came: \(run.observer.outcomes)")
    }
  }

  /// The last run is killed just after its last call that `isLast` chooses; the machine goes on running.
  ///
  /// - Returns: the directory as it was then.
  mutating func kill(after isLast: (RecordedCall) -> Bool) throws -> TemporaryDirectory {
    let phase = phases.removeLast()
    guard let index = phase.calls.lastIndex(where: isLast) else { throw TestSupportError("no such call") }
    phases.append(Replay.Phase(root: phase.root, calls: Array(phase.calls[...index])))
    let directory = try TemporaryDirectory()
    try SurvivingDisk(replay.finalModel(), .everything).materialize(in: directory, isRebooted: false)
    return directory
  }

  // MARK: After the power cut

  /// Has the real code look at what a power cut left.
  func checkLoading(_ disk: SurvivingDisk) throws {
    let directory = try TemporaryDirectory()
    try disk.materialize(in: directory, isRebooted: true)
    let base = try TargetDirectory.open(path: Array(directory.path.utf8))
    for target in targets {
      let components = target.name.split(separator: "/").map { Array($0.utf8) }
      guard fileExists(directory.path(target.sidecarName)) else { continue }
      let place = try base.resolve(components)
      guard case .record(let record) = try SidecarFile.open(place).load(), let part = try PartFile.openExisting(place),
        let version = replay.oracle.version(target, record)
      else { continue }
      let done = record.believed(bootID: BootID.current)
      guard try part.size >= done.ranges.last?.upperBound ?? 0 else { continue }
      for range in done.ranges {
        var buffer = [UInt8](repeating: 0, count: range.count)
        let count = try buffer.withUnsafeMutableBytes { try part.read(into: $0, at: range.lowerBound) }
        let isRight = version.bytes.withUnsafeBytes {
          memcmp($0.baseAddress! + Int(range.lowerBound), buffer, range.count) == 0
        }
        guard count == range.count, isRight else {
          throw TestSupportError("\(disk.survival): \(range) of \(target.name) is believed and wrong")
        }
      }
    }
  }

  /// Runs the same command on what a power cut left: everything must come, and what was synced must not come again.
  func checkRunning(_ disk: SurvivingDisk) throws {
    let directory = try TemporaryDirectory()
    try disk.materialize(in: directory, isRebooted: true)
    service.change {
      $0.bytesPerSecondOfServer = nil
      $0.bytesPerSecondOfConnection = nil
      $0.cutAfter = nil
    }
    let run = try EngineRun(requests, into: directory)
    for (index, target) in targets.enumerated() {
      let content = target.versions.last!.content
      let what = "\(disk.survival): \(target.name) \(String(describing: run.result(index)))"
      guard run.end.failureCodes.isEmpty, run.result(index) == .downloaded || run.result(index) == .kept else {
        throw TestSupportError(what)
      }
      if try content.firstDifference(inFile: directory.path(target.name)) != nil {
        throw TestSupportError("\(what), wrong")
      }
      let isPublished = disk.file(target.name)?.isWhole(target.versions.last!) ?? false
      let oracle = replay.oracle
      var safe: Int64 = 0
      if let record = oracle.required(target, SurvivingDisk(disk.model, .everything)),
        oracle.version(target, record)?.content == content
      {
        safe = record.synced.byteCount
      }
      // On a busy machine a connection that is held up is replaced, and some bytes come twice.
      if run.received(index) > (isPublished ? 0 : content.byteCount - safe + (256 << 10)) {
        throw TestSupportError("\(what), \(run.received(index)) bytes came again, \(safe) were safe")
      }
      if fileExists(directory.path(target.partName)) || fileExists(directory.path(target.sidecarName)) {
        throw TestSupportError("\(what), something is left over: \(directory.names())")
      }
    }
  }
}
