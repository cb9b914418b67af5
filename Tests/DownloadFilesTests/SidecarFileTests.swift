import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `Sidecar file` {
  @Test func `a record is read back`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do {
      let sidecar = try SidecarFile.open(place)
      #expect(try sidecar.load() == .empty)
      try sidecar.startOver(with: record(for: "x", length: 1000))
      try sidecar.recordWritten(record(for: "x", done: 300, length: 1000))
      try sidecar.recordSynced(synced(record(for: "x", done: 400, length: 1000)))
      try sidecar.recordWritten(record(for: "x", done: 500, length: 1000))
    }
    let found = try #require(try loaded(place))
    #expect(found.written.ranges == [0..<500] && found.sequence == 4)
    #expect(scratch.mode("x.swiftget") == 0o600)
  }

  @Test func `a written record never overwrites the newest synced one`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    let sidecar = try SidecarFile.open(place)
    try sidecar.startOver(with: record(for: "x"))
    var synchronized: Int64 = 0
    for step in 1...20 {
      let done = Int64(step) * 10
      if step % 5 == 0 {
        try sidecar.recordSynced(synced(record(for: "x", done: done)))
        synchronized = done
      } else {
        try sidecar.recordWritten(record(for: "x", done: done))
      }
      guard synchronized > 0, let bytes = scratch.read("x.swiftget") else { continue }
      // After the loss of either slot, the other one has the newest synced record or a later one, unless it was its
      // own.
      let claims = [0, 1].map { slot -> Int64 in
        let start = slot * SidecarSlot.byteCount
        guard case .record(let record, let isSynced) = SidecarSlot.decode(bytes[start..<(start + 16384)]), isSynced
        else { return 0 }
        return record.synced.contiguousEnd
      }
      #expect(claims.max() == synchronized)
    }
  }

  @Test func `a second run learns which process holds the target`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do {
      let first = try SidecarFile.open(place)
      #expect(first.isLocked)
      #expect(throws: SidecarOpenError.held(process: getpid())) { try SidecarFile.open(place) }
      try first.startOver(with: record(for: "x"))
      #expect(throws: SidecarOpenError.held(process: getpid())) { try SidecarFile.open(place) }
      withExtendedLifetime(first) {}
    }
    #expect(try SidecarFile.open(place).isLocked)
  }

  @Test func `a lock on a removed file does not count`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    let first = try SidecarFile.open(place)
    try first.remove()
    // The name is free while the first run still holds its lock.
    let second = try SidecarFile.open(place)
    #expect(throws: SidecarOpenError.held(process: getpid())) { try SidecarFile.open(place) }
    withExtendedLifetime((first, second)) {}
    // The file is removed between opening and locking it.
    let other = try scratch.place("y")
    let calls = try FaultTable.withFaults([Fault(.fstatat, number: 3, .failure(ENOENT))]) {
      try FaultTable.recording { _ = try SidecarFile.open(other) }
    }
    #expect(calls.filter { $0.call == .flock }.count == 2)
  }

  @Test func `a copy of the descriptor does not keep the lock`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    var copy: Int32 = -1
    do {
      let sidecar = try SidecarFile.open(place)
      let opened = try SystemCalls.fstatat(place.directory.raw, sidecar.name)
      let number = try #require(
        (0..<1 << 16).first { (try? SystemCalls.fstat($0))?.isSameFile(as: opened) == true })
      // A child process has such a copy between fork and exec.
      copy = dup(number)
    }
    defer { close(copy) }
    #expect(copy >= 0)
    #expect(try SidecarFile.open(place).isLocked)
  }

  @Test func `a file system without locks is used without them`() throws {
    let scratch = try Scratch()
    let sidecar = try FaultTable.withFaults([Fault(.flock, .failure(ENOLCK))]) {
      try SidecarFile.open(scratch.place("x"))
    }
    #expect(!sidecar.isLocked)
  }

  @Test(arguments: [(SystemCall.flock, EIO), (.pwrite, EFBIG), (.pwrite, ENOSPC)])
  func `nothing is left of a sidecar that cannot be made, and one of an earlier run stays`(
    call: SystemCall, errno: Int32
  ) throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    for number in 1...2 {
      let faults = [Fault(call, number: number, .failure(errno))]
      try? FaultTable.withFaults(faults) { _ = try SidecarFile.open(place) }
      #expect(scratch.names.isEmpty || call == .flock, "\(number)")
      try SidecarFile.openExisting(place)?.remove()
    }
    try SidecarFile.open(place).startOver(with: record(for: "x", done: 500))
    for number in 1...2 {
      let faults = [Fault(call, number: number, .failure(errno))]
      try? FaultTable.withFaults(faults) { _ = try SidecarFile.open(place) }
      #expect(try loaded(place) != nil, "\(number)")
    }
  }

  @Test func `a link or directory in place of the sidecar is refused`() throws {
    let scratch = try Scratch()
    try scratch.write("victim", [9])
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/l.swiftget", withDestinationPath: "victim")
    try FileManager.default.createDirectory(atPath: scratch.path + "/d.swiftget", withIntermediateDirectories: false)
    for name in ["l", "d"] {
      #expect(throws: foreign("\(name).swiftget", .notRegular)) { try SidecarFile.open(scratch.place(name)) }
    }
    #expect(scratch.read("victim") == [9])
  }

  // MARK: Ownership

  private func foreign(_ name: String, _ reason: ForeignFile.Reason) -> SidecarOpenError {
    .foreign(ForeignFile(name: Array(name.utf8), reason))
  }

  @Test func `a file without swiftget's signature is left unchanged`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    let magic = SidecarSlot.magic
    for bytes in [
      [UInt8](repeating: 0x41, count: 40000), Array("notes\n".utf8), [0], Array(magic.dropLast()), [0] + magic,
      [UInt8](repeating: 0, count: 32833), [UInt8](repeating: 0, count: 32768) + Array("pid ".utf8),
    ] {
      try scratch.write("x.swiftget", bytes)
      #expect(throws: foreign("x.swiftget", .unsigned)) { try SidecarFile.open(place) }
      #expect(throws: foreign("x.swiftget", .unsigned)) { try SidecarFile.openExisting(place) }
      #expect(scratch.read("x.swiftget") == bytes && scratch.mode("x.swiftget") == 0o644)
    }
  }

  @Test func `a damaged sidecar is replaced`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    for start in [0, SidecarSlot.byteCount] {
      var bytes = [UInt8](repeating: 0x41, count: 40000)
      bytes.replaceSubrange(start..<start + 8, with: SidecarSlot.magic)
      try scratch.write("x.swiftget", bytes)
      do {
        let sidecar = try SidecarFile.open(place)
        #expect(try sidecar.load() == .unusable(.damaged))
        try sidecar.startOver(with: record(for: "x"))
      }
      #expect(try loaded(place)?.written.isEmpty == true)
    }
  }

  @Test func `a sidecar of a later version has the signature`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    var payload = SidecarSlot.magic + [2, 0, 0, 0] + [UInt8](repeating: 0, count: 20)
    let sum = Checksum.crc64(payload)
    payload += (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) }
    try scratch.write("x.swiftget", payload)
    let sidecar = try SidecarFile.open(place)
    #expect(try sidecar.load() == .unusable(.future(version: 2)))
    try sidecar.startOver(with: record(for: "x"))
  }

  /// A run may be killed between the creation of the sidecar and its first record, and the power may fail then.
  @Test func `the rest of a new sidecar after a kill has the signature`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    let whole: [UInt8]
    do {
      let sidecar = try SidecarFile.open(place)
      whole = try #require(scratch.read("x.swiftget"))
      try sidecar.remove()
    }
    let blank = [UInt8](repeating: 0, count: whole.count)
    for left in [[], Array(blank.prefix(16384)), Array(blank.prefix(32768)), blank, whole] {
      try scratch.write("x.swiftget", left)
      #expect(chmod(scratch.path + "/x.swiftget", 0o600) == 0)
      let sidecar = try SidecarFile.open(place)
      #expect(try sidecar.load() == .empty)
      try sidecar.remove()
    }
    // Sidecars are readable by their owner only.
    try scratch.write("x.swiftget", [])
    #expect(throws: foreign("x.swiftget", .unsigned)) { try SidecarFile.open(place) }
  }

  @Test func `a private part file without a sidecar gets a new one and starts over`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    try scratch.write("x.swiftget-part", [1, 2, 3])
    #expect(chmod(scratch.path + "/x.swiftget-part", 0o600) == 0)
    #expect(try SidecarFile.open(place).load() == .empty)
    #expect(try PartFile.create(place).size == 0)
  }

  @Test func `a part file without a sidecar that others may read is left alone and gets no sidecar`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    try scratch.write("x.swiftget-part", [1, 2, 3])
    #expect(throws: foreign("x.swiftget-part", .noSidecar)) { try SidecarFile.open(place) }
    #expect(throws: foreign("x.swiftget-part", .noSidecar)) { try SidecarFile.openExisting(place) }
    #expect(scratch.names == ["x.swiftget-part"])
    let none = try SidecarFile.openExisting(scratch.place("y"))
    #expect(none == nil); #expect(scratch.names == ["x.swiftget-part"])
  }

  @Test func `a sidecar with another link is left unchanged`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do { try SidecarFile.open(place).startOver(with: record(for: "x")) }
    let bytes = scratch.read("x.swiftget")
    #expect(link(scratch.path + "/x.swiftget", scratch.path + "/kept") == 0)
    #expect(throws: foreign("x.swiftget", .otherLinks)) { try SidecarFile.open(place) }
    #expect(scratch.names == ["kept", "x.swiftget"] && scratch.read("kept") == bytes)
  }

  @Test(.enabled(if: geteuid() == 0)) func `a sidecar of another user is left unchanged`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do { try SidecarFile.open(place).startOver(with: record(for: "x")) }
    let bytes = scratch.read("x.swiftget")
    #expect(chown(scratch.path + "/x.swiftget", 65534, 65534) == 0)
    #expect(throws: foreign("x.swiftget", .otherOwner)) { try SidecarFile.open(place) }
    #expect(scratch.names == ["x.swiftget"] && scratch.read("x.swiftget") == bytes)
  }

  @Test func `ownership is determined without a change`() throws {
    let scratch = try Scratch()
    #expect(scratch.directory.base.givesFiles(to: geteuid()) && scratch.directory.base.makesPrivateFiles)
    #expect(scratch.directory.base.givesFiles(to: geteuid()) && !scratch.directory.base.givesFiles(to: 65534))
    #expect(scratch.names.isEmpty)
  }

  @Test(arguments: [(0o600, false), (0o644, false), (0o660, true), (0o606, true)])
  func `a sidecar that others could write to is ignored`(mode: mode_t, isRefused: Bool) throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do { try SidecarFile.open(place).recordWritten(record(for: "x", done: 5)) }
    #expect(chmod(scratch.path + "/x.swiftget", mode) == 0)
    do {
      let sidecar = try SidecarFile.open(place)
      let outcome = try sidecar.load()
      #expect((outcome == .unusable(.exposed)) == isRefused && scratch.mode("x.swiftget") == 0o600)
      if isRefused { try sidecar.startOver(with: record(for: "x", done: 2)) }
    }
    #expect(try loaded(place)?.written.byteCount == (isRefused ? 2 : 5))
  }

  @Test func `the highest sequence counts as damage`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    for sequence: UInt64 in [.max, .max - 1, .max - 2, .max / 2 + 1] {
      var last = record(for: "x", done: 5)
      last.sequence = sequence
      try scratch.write("x.swiftget", SidecarSlot.encode(last, isSynced: true))
      do {
        let sidecar = try SidecarFile.open(place)
        #expect(try sidecar.load() == .unusable(.damaged))
        try sidecar.startOver(with: record(for: "x"))
        for done in 1...3 { try sidecar.recordWritten(record(for: "x", done: Int64(done))) }
      }
      #expect(try loaded(place)?.written.byteCount == 3)
    }
  }

  // MARK: Records

  @Test func `after a fresh start no older claim can reappear`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do {
      let sidecar = try SidecarFile.open(place)
      try sidecar.recordSynced(synced(record(for: "x", done: 500)))
      try sidecar.recordWritten(record(for: "x", done: 600))
      try sidecar.startOver(with: record(for: "x"))
    }
    let bytes = try #require(scratch.read("x.swiftget"))
    for lost in 0..<2 {
      var damaged = bytes
      damaged[lost * SidecarSlot.byteCount + 50] ^= 1
      guard case .record(let record) = SidecarReading(Array(damaged.prefix(32768))).outcome else {
        Issue.record("no record left without slot \(lost)")
        continue
      }
      #expect(record.written.isEmpty)
    }
  }

  @Test func `a record that was read is synced before the other slot is written`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    do {
      let sidecar = try SidecarFile.open(place)
      try sidecar.recordSynced(synced(record(for: "x", done: 500)))
    }
    let sidecar = try SidecarFile.open(place)
    _ = try sidecar.load()
    let calls = try FaultTable.recording { try sidecar.recordWritten(record(for: "x", done: 600)) }
    #expect(calls.map(\.call) == [.pread, .pwrite, .fdatasync, .pwrite])
    #expect(calls[1].offset == 0 && calls[3].offset == 16384)
  }

  @Test func `a failed sync of the sidecar is final and the previous record stays valid`() throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    let sidecar = try SidecarFile.open(place)
    try sidecar.recordSynced(synced(record(for: "x", done: 500)))
    #expect(throws: SystemCallError(.fdatasync, EIO)) {
      try FaultTable.withFaults([Fault(.fdatasync, .failure(EIO))]) {
        try sidecar.recordSynced(synced(record(for: "x", done: 600)))
      }
    }
    let calls = FaultTable.recording {
      #expect(throws: SystemCallError(.fdatasync, EIO)) {
        try sidecar.recordSynced(synced(record(for: "x", done: 700)))
      }
      #expect(throws: SystemCallError(.fdatasync, EIO)) { try sidecar.recordWritten(record(for: "x", done: 700)) }
    }
    #expect(calls.isEmpty)
    let bytes = try #require(scratch.read("x.swiftget"))
    guard case .record(let kept, true) = SidecarSlot.decode(bytes[..<16384]) else {
      Issue.record("the record before is gone")
      return
    }
    #expect(kept.synced.ranges == [0..<500])
  }

  @Test func `recording needs no disk space once the file exists`() throws {
    let scratch = try Scratch()
    let sidecar = try SidecarFile.open(scratch.place("x"))
    let before = scratch.read("x.swiftget")?.count
    try sidecar.recordWritten(record(for: "x", done: 5))
    try sidecar.recordSynced(synced(record(for: "x", done: 5)))
    #expect(before == scratch.read("x.swiftget")?.count && before == 32832)
  }

  @Test func `the name is synced once`() throws {
    let scratch = try Scratch()
    let sidecar = try SidecarFile.open(scratch.place("x"))
    let calls = try FaultTable.recording {
      try sidecar.syncName()
      try sidecar.syncName()
    }
    #expect(calls.map(\.call) == [.fsync])
  }

  @Test func `after a fresh start the names are synced again`() throws {
    let scratch = try Scratch()
    let sidecar = try SidecarFile.open(scratch.place("x"))
    try sidecar.syncName()
    try sidecar.startOver(with: record(for: "x"))
    // The name now belongs to another part file.
    let calls = try FaultTable.recording { try sidecar.syncName() }
    #expect(calls.map(\.call) == [.fsync])
  }

  @Test func `a written record keeps the synced ranges before it`() throws {
    let scratch = try Scratch()
    let sidecar = try SidecarFile.open(scratch.place("x"))
    try sidecar.recordSynced(synced(record(for: "x", done: 500)))
    try sidecar.recordWritten(record(for: "x", done: 600))
    let reading = SidecarReading(try #require(scratch.read("x.swiftget")))
    guard case .record(let found) = reading.outcome else {
      Issue.record("no record")
      return
    }
    #expect(found.synced == ByteRangeSet([0..<500]) && found.written == ByteRangeSet([0..<600]))
    try sidecar.startOver(with: record(for: "x"))
    try sidecar.recordWritten(record(for: "x", done: 100))
    guard case .record(let later) = SidecarReading(try #require(scratch.read("x.swiftget"))).outcome else {
      Issue.record("no record after the fresh start")
      return
    }
    #expect(later.synced.isEmpty && later.written == ByteRangeSet([0..<100]))
  }

  private func loaded(_ place: TargetPlace) throws -> SidecarRecord? {
    guard case .record(let record) = try SidecarFile.open(place).load() else { return nil }
    return record
  }
}
