import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadFiles

/// Replays what runs did to a disk, and cuts the power after every call.
struct Replay {
  /// The calls of one run and the directory in which it made them.
  struct Phase {
    let root: String
    let calls: [RecordedCall]
  }

  let oracle: PowerCutOracle
  /// What is there before the first run, besides the targets.
  let leftovers: [String: Content]
  let phases: [Phase]
  /// Every unsynced call is left out on its own, however many there are, and more subsets are drawn.
  static let isLong = getenv("SWIFTGET_POWERCUT_LONG") != nil

  /// What came of it.
  struct Result {
    var violation: String?
    /// The syncs met that had anything to do.
    var syncs: [(operation: Int, site: SyncSite)] = []
    var sites: Set<SyncSite> { Set(syncs.map(\.site)) }
    var cutCount = 0
    var diskCount = 0
    /// Records of synced ranges that the program took to be safe.
    var checkpointCount = 0
  }

  /// The disk after the last call, looked at by nobody.
  func finalModel() throws -> DiskModel {
    var model = try initialModel()
    for (number, phase) in phases.enumerated() {
      if number > 0 { model.move(to: phase.root) }
      for call in phase.calls { _ = try model.apply(call) }
    }
    return model
  }

  /// - Parameter visit: gets the model after each call that changed anything, and whether it was the last.
  func run(dropping dropped: DiskModel.Dropped = .none, _ visit: (DiskModel, Bool) throws -> Void = { _, _ in }) throws
    -> Result
  {
    var result = Result()
    var model = try initialModel()
    model.dropped = dropped
    var coverage = Coverage()
    for (number, phase) in phases.enumerated() {
      if number > 0 { model.move(to: phase.root) }
      let last = phase.calls.lastIndex { $0.call != .close } ?? 0
      for (index, call) in phase.calls.enumerated() {
        let isOver = number == phases.count - 1 && index == last
        let isChange = try model.apply(call)
        var found = coverage.violation(call, model)
        guard isChange || isOver else { continue }
        result.cutCount += 1
        let current = SurvivingDisk(model, .everything)
        for survival in survivals(model, isShort: dropped != .none) where found == nil {
          result.diskCount += 1
          found = oracle.violation(in: SurvivingDisk(model, survival), current: current, isOver: isOver).map {
            "power cut after call \(index) of run \(number) (\(call.call) \(call.file)), \(survival): \($0)"
          }
        }
        result.syncs = model.syncs
        result.checkpointCount = coverage.checkpointCount
        if let found {
          result.violation = found
          return result
        }
        try visit(model, isOver)
      }
    }
    return result
  }

  private func initialModel() throws -> DiskModel {
    var model = DiskModel(root: phases[0].root)
    for target in oracle.targets {
      if let old = target.old {
        model.put(target.name, old.content, modified: target.oldModified, isDurable: target.isOldDurable)
      }
    }
    for (name, content) in leftovers.sorted(by: { $0.key < $1.key }) {
      model.put(name, content, modified: nil, isDurable: true)
    }
    return model
  }

  private func survivals(_ model: DiskModel, isShort: Bool) -> [Survival] {
    var found: [Survival] = [.nothing, .everything, .tornOnly(operation: model.operation - 1)]
    if model.lastRecord >= 0 { found.append(.staleSidecars(operation: model.lastRecord)) }
    let pending = model.pendingOperations.sorted()
    let step = Self.isLong ? 1 : max(1, pending.count / (isShort ? 2 : 5))
    for index in stride(from: model.operation % step, to: pending.count, by: step) {
      found.append(.allBut(operation: pending[index]))
    }
    for number in 0..<(Self.isLong ? 60 : isShort ? 1 : 3) {
      found.append(.random(seed: UInt64(model.operation * 100 + number)))
    }
    return found
  }
}

/// Whether each checkpoint takes in what was written before the one before it: that no more than the work of about two
/// intervals is ever at stake.
private struct Coverage {
  private var written: [String: ByteRangeSet] = [:]
  private var due: [String: ByteRangeSet] = [:]
  private var failed: Set<String> = []
  private var counts: [DiskModel.NodeID: Int] = [:]
  private(set) var checkpointCount = 0

  mutating func violation(_ call: RecordedCall, _ model: DiskModel) -> String? {
    let name = call.file
    if name.hasSuffix(".swiftget-part") {
      if call.call == .openat || call.result < 0 { (written[name], due[name]) = (nil, nil) }
      // After a failed sync the run takes its records back, whatever it goes on to write meanwhile.
      if call.call == .openat { failed.remove(name) } else if call.result < 0 { failed.insert(name) }
      if call.call == .pwrite, call.result > 0 {
        written[name, default: ByteRangeSet()].insert(call.offset..<call.offset + Int64(call.result))
      }
    }
    guard call.call == .fdatasync, name.hasSuffix(".swiftget") else { return nil }
    for (node, watch) in model.watches where watch.believedCount > counts[node, default: 0] {
      counts[node] = watch.believedCount
      guard let record = watch.believed, !record.synced.isEmpty else { continue }
      checkpointCount += 1
      let part = name + "-part"
      if failed.contains(part) { continue }
      defer { due[part] = written[part] }
      if let range = due[part]?.ranges.first(where: { !record.synced.contains($0) }) {
        return "\(range) was written before the last checkpoint and is not in this one"
      }
    }
    return nil
  }
}
