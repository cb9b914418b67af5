import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// The order of syncs, records and names: real runs are recorded, and the power is cut after each of their calls.
///
/// Each in a process of its own, for the calls of all threads are recorded.
@Suite(.waiting) struct `A power cut` {
  /// The syncs that each test here shows to be needed; together they are all that the program makes.
  ///
  /// Of a kind that is named here, single ones may be needless where they fall: the records that take claims back where
  /// nothing was claimed, or the record of an earlier run written once more although its sync had ended.
  private static let needed: [String: Set<SyncSite>] = [
    "split": [.partData, .record],
    "verified": [.namesBeforeData, .partData, .record, .wholePart, .nameAfterRename, .parentDirectory],
    "replacing": [.wholePart, .nameAfterRename],
    "changed": [.namesBeforeData, .partData],
    "changed between runs": [.claimTakenBackAgain],
    "damaged": [.record, .nameAfterRename],
    "resumed": [.record, .wholePart],
    "killed": [.repeatedRecord],
    "failing": [.claimTakenBack],
    "unsynced": [.claimTakenBack, .wholePart],
    "linked": [.wholePart, .nameAfterRename],
    "named": [.nameAfterRename],
    "found": [.foundFile, .nameOfFoundFile],
    "many": [.group, .namesOfGroup],
    "few": [.stagedFile, .namesOfGroup, .parentDirectory],
  ]

  @Test func `finds every sync there is needed`() {
    #expect(Self.needed.values.reduce(Set()) { $0.union($1) } == Set(SyncSite.allCases))
  }

  /// The recorded runs do not show what the test is for, for example because a slow disk left no time for a second
  /// checkpoint.
  private struct Unsuitable: Error { let message: String }

  /// Records what `body` throws, which would be lost in another process. A recording that is unsuitable is repeated.
  private static func told(_ body: () throws -> Void) {
    for attempt in 1...8 {
      do { return try body() } catch let error as Unsuitable {
        if attempt == 8 { Issue.record("\(error.message)") }
      } catch {
        Issue.record("\(error)")
        return
      }
    }
  }

  /// Replays the scenario as it was, then once without each kind of its syncs, and has the real code go on from what
  /// some of the cuts left.
  private static func exercise(_ name: String, _ scenario: PowerCutScenario, checkpoints: Int) throws {
    var models: [DiskModel] = []
    let result = try scenario.replay.run { model, _ in models.append(model) }
    if let violation = result.violation { throw TestSupportError(violation) }
    guard let needed = needed[name], result.sites.isSuperset(of: needed), result.checkpointCount >= checkpoints else {
      throw Unsuitable(message: "\(name): not what was meant to be replayed, \(result)")
    }
    for site in needed.sorted() {
      guard try scenario.replay.run(dropping: .all(site)).violation != nil else {
        throw Unsuitable(message: "\(name): nobody would notice a missing sync, \(site)")
      }
    }
    for index in stride(from: 0, to: models.count, by: Replay.isLong ? 1 : 12) {
      try scenario.checkLoading(SurvivingDisk(models[index], .nothing))
      try scenario.checkLoading(SurvivingDisk(models[index], .random(seed: UInt64(index))))
    }
    let runs = 4
    for number in 0...runs {
      let model = models[number * (models.count - 1) / runs]
      try scenario.checkRunning(SurvivingDisk(model, number % 2 == 0 ? .nothing : .random(seed: UInt64(number))))
    }
  }

  @Test func `in a split download loses about a second`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        let content = Content.generated(seed: 1, byteCount: 1_500_001)
        var scenario = try PowerCutScenario([("f", content)], isVerified: false) {
          $0.bytesPerSecondOfConnection = 150_000
          $0.bytesPerSecondOfServer = 450_000
        }
        let directory = try TemporaryDirectory()
        try scenario.recordWhole(in: directory) { $0.file.minSplitSize = 65536 }
        guard scenario.server.peakExchanges > 1 else { throw Unsuitable(message: "one connection only") }
        try Self.exercise("split", scenario, checkpoints: 2)
      }
    }
  }

  @Test func `in a new directory loses about a second`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        let content = Content.generated(seed: 2, byteCount: 800_000)
        var scenario = try PowerCutScenario([("new/deeper/f", content)], isVerified: true) {
          $0.bytesPerSecondOfServer = 230_000
        }
        let directory = try TemporaryDirectory()
        try scenario.recordWhole(in: directory)
        try Self.exercise("verified", scenario, checkpoints: 2)
      }
    }
  }

  @Test func `leaves the old file or the new one`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario(
          [("f", .generated(seed: 3, byteCount: 500_000))], old: ["f": .generated(seed: 4, byteCount: 1_000_000)],
          isVerified: true
        ) { $0.bytesPerSecondOfServer = 200_000 }
        let directory = try TemporaryDirectory()
        try scenario.recordWhole(in: directory)
        try Self.exercise("replacing", scenario, checkpoints: 1)
      }
    }
  }

  @Test func `never mixes two versions`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario(
          [("f", .generated(seed: 5, byteCount: 800_000))],
          replacements: ["f": .generated(seed: 6, byteCount: 800_000)], isVerified: false
        ) {
          $0.bytesPerSecondOfServer = 230_000
          $0.changesAfter = .bodyBytes(500_000)
          $0.cutAfter = 550_000
        }
        let directory = try TemporaryDirectory()
        try scenario.recordWhole(in: directory) { $0.file.maxConnections = 1 }
        try Self.exercise("changed", scenario, checkpoints: 2)
      }
    }
  }

  @Test func `never mixes two versions of two runs`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario(
          [("f", .generated(seed: 12, byteCount: 800_000))],
          replacements: ["f": .generated(seed: 13, byteCount: 800_000)], isVerified: false
        ) { $0.bytesPerSecondOfServer = 150_000 }
        let directory = try scenario.recordCut(.milliseconds(2300)) { $0.file.maxConnections = 1 }
        scenario.service.change {
          $0.changesAfter = .requests(0)
          // More of the new version than was recorded of the old one, before its first sync.
          $0.bytesPerSecondOfServer = 900_000
        }
        try scenario.recordWhole(in: directory) { $0.file.maxConnections = 1 }
        try Self.exercise("changed between runs", scenario, checkpoints: 1)
      }
    }
  }

  @Test func `with leftovers that are damaged makes no use of them`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario(
          [("f", .generated(seed: 14, byteCount: 500_000))],
          leftovers: [
            "f.swiftget": .bytes(
              SidecarSlot.magic + Content.generated(seed: 15, byteCount: 33_000).allBytes),
            "f.swiftget-part": .generated(seed: 16, byteCount: 400_000),
          ], isVerified: false
        ) { $0.bytesPerSecondOfServer = 230_000 }
        let directory = try TemporaryDirectory()
        try scenario.recordWhole(in: directory)
        try Self.exercise("damaged", scenario, checkpoints: 1)
      }
    }
  }

  @Test func `after a resumption loses about a second`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        let content = Content.generated(seed: 7, byteCount: 1_000_000)
        var scenario = try PowerCutScenario([("f", content)], isVerified: true) {
          $0.bytesPerSecondOfServer = 230_000
        }
        let directory = try scenario.recordCut(.milliseconds(2300))
        try scenario.recordWhole(in: directory)
        try Self.exercise("resumed", scenario, checkpoints: 2)
      }
    }
  }

  @Test func `after a kill loses about a second`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        let content = Content.generated(seed: 8, byteCount: 1_000_000)
        var scenario = try PowerCutScenario([("f", content)], isVerified: false) {
          $0.bytesPerSecondOfServer = 230_000
        }
        let first = try TemporaryDirectory()
        try scenario.recordWhole(in: first)
        // Between a record and its sync, and with more than a second still to come.
        let second = try scenario.kill { call in
          guard call.call == .pwrite, call.file.hasSuffix(".swiftget") else { return false }
          guard case .record(let record, isSynced: true) = SidecarSlot.decode(call.bytes[...]) else { return false }
          return record.synced.byteCount < 600_000
        }
        try scenario.recordWhole(in: second)
        try Self.exercise("killed", scenario, checkpoints: 2)
      }
    }
  }

  @Test func `after a failed sync loses about a second`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario([("f", .generated(seed: 9, byteCount: 800_000))], isVerified: false) {
          $0.bytesPerSecondOfServer = 230_000
        }
        let directory = try TemporaryDirectory()
        // The part file's second one: the sidecar's is between them.
        let first = try scenario.record(in: directory, faults: [Fault(.fdatasync, number: 3, .failure(EIO))])
        guard first.error()?.code == .localIO else { throw Unsuitable(message: "the first run did not fail") }
        try scenario.recordWhole(in: directory)
        try Self.exercise("failing", scenario, checkpoints: 2)
      }
    }
  }

  @Test func `after a failed sync of the whole file loses about a second`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario([("f", .generated(seed: 18, byteCount: 500_000))], isVerified: false) {
          $0.bytesPerSecondOfServer = 230_000
        }
        let directory = try TemporaryDirectory()
        // The second one: the directory's is the first.
        let first = try scenario.record(in: directory, faults: [Fault(.fsync, number: 2, .failure(EIO))])
        guard first.error()?.code == .localIO else { throw Unsuitable(message: "the first run did not fail") }
        try scenario.recordWhole(in: directory)
        try Self.exercise("unsynced", scenario, checkpoints: 1)
      }
    }
  }

  @Test func `leaves the file where a rename replaces in any case`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario([("f", .generated(seed: 17, byteCount: 500_000))], isVerified: true) {
          $0.bytesPerSecondOfServer = 200_000
        }
        // A link and the removal of the old name instead.
        try scenario.recordWhole(in: TemporaryDirectory(), faults: [Fault(.renameat, .failure(EINVAL))])
        try Self.exercise("linked", scenario, checkpoints: 1)
      }
    }
  }

  @Test func `after a kill between name and sync leaves the file`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario([("f", .generated(seed: 10, byteCount: 500_000))], isVerified: false) { _ in
        }
        let first = try TemporaryDirectory()
        try scenario.recordWhole(in: first)
        let second = try scenario.kill { $0.call == .renameat }
        let run = try scenario.record(in: second)
        guard run.result() == .kept else { throw TestSupportError("the file was not kept") }
        try Self.exercise("named", scenario, checkpoints: 0)
      }
    }
  }

  @Test func `leaves a file that was found right`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        let content = Content.generated(seed: 11, byteCount: 50_000)
        var scenario = try PowerCutScenario([("f", content)], found: ["f"], isVerified: true) { _ in }
        let directory = try TemporaryDirectory()
        let run = try scenario.record(in: directory)
        guard run.result() == .kept else { throw TestSupportError("the file was not kept") }
        try Self.exercise("found", scenario, checkpoints: 0)
      }
    }
  }

  @Test func `leaves each of many small files absent or whole`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario(
          (0..<30).map { ("new/\($0)", .generated(seed: UInt64(100 + $0), byteCount: Int64(1 + $0 * 411))) },
          isVerified: true
        ) { _ in }
        // On a busy machine the files may come too far apart for a group.
        for _ in 0..<20 {
          scenario.forget()
          try scenario.recordWhole(in: TemporaryDirectory())
          if try scenario.replay.finalModel().syncs.contains(where: { $0.site == .group }) { break }
        }
        try Self.exercise("many", scenario, checkpoints: 0)
      }
    }
  }

  @Test func `leaves each of a few small files old or new`() async {
    await #expect(processExitsWith: .success) {
      Self.told {
        var scenario = try PowerCutScenario(
          [("f", .text("new")), ("new/deeper/g", .generated(seed: 200, byteCount: 9000))], old: ["f": .text("old")],
          isVerified: true
        ) { _ in }
        let directory = try TemporaryDirectory()
        try scenario.recordWhole(in: directory)
        try Self.exercise("few", scenario, checkpoints: 0)
      }
    }
  }
}
