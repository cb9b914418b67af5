import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `A file system that cannot sync` {
  private static let refusals = [EINVAL, EOPNOTSUPP, ENOSYS]
  private static let syncs: [SystemCall] = [.fsync, .fdatasync, .syncfs]

  private func publish(_ scratch: Scratch, count: Int) throws -> TargetPlace {
    let publisher = Publisher()
    let place = try scratch.place("big")
    let sidecar = try SidecarFile.open(place)
    try sidecar.startOver(with: record(for: "big", length: 9000))
    try sidecar.syncName()
    let part = try PartFile.create(place)
    try write(pattern(9000), to: part)
    _ = try part.dataSync()
    try sidecar.recordSynced(synced(record(for: "big", done: 9000, length: 9000)))
    try publisher.publish(
      part, sidecar: sidecar, byteCount: 9000, PublishOrder(), syncs: true)
    let staged = try (0..<count).map { number in
      try publisher.stage(
        SmallFile(place: scratch.place("small\(number)"), body: FilledBlock(copying: pattern(100))), syncs: true)
    }
    for result in publisher.publishGroup(staged, syncs: true) { _ = try result.get() }
    return place
  }

  @Test(arguments: refusals) func `has complete files, and is known`(errno: Int32) throws {
    for calls in [Self.syncs, [.fsync], [.fdatasync]] {
      let scratch = try Scratch()
      let place = try FaultTable.withFaults(calls.map { Fault($0, persists: true, .failure(errno)) }) {
        try publish(scratch, count: 20)
      }
      #expect(scratch.names.count == 21 && scratch.read("big") == pattern(9000), "\(calls)")
      #expect(!place.directory.isDurable, "\(calls)")
    }
  }

  @Test func `is told from one that can`() throws {
    let scratch = try Scratch()
    // The files can be synced one by one.
    let place = try FaultTable.withFaults([Fault(.syncfs, persists: true, .failure(ENOSYS))]) {
      try publish(scratch, count: 20)
    }
    #expect(place.directory.isDurable)
  }

  @Test(arguments: [EIO, ENOSPC]) func `is told from a disk that fails`(errno: Int32) throws {
    for call in [SystemCall.fsync, .fdatasync] {
      let scratch = try Scratch()
      #expect(throws: (any Error).self) {
        try FaultTable.withFaults([Fault(call, persists: true, .failure(errno))]) { _ = try publish(scratch, count: 1) }
      }
    }
  }
}
