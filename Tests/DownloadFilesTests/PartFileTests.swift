internal import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `Part file` {
  @Test func `bytes written out of order are read back, the hole as zeros`() throws {
    let scratch = try Scratch()
    let part = try PartFile.create(scratch.place("x"))
    try write([7, 8], to: part, at: 10)
    try write([1, 2], to: part)
    #expect(try part.size == 12)
    var buffer = [UInt8](repeating: 0xFF, count: 20)
    let count = try buffer.withUnsafeMutableBytes { try part.read(into: $0, at: 0) }
    #expect(Array(buffer.prefix(count)) == [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8])
    #expect(scratch.names == ["x.swiftget-part"])
    #expect(scratch.mode("x.swiftget-part") == 0o600)
  }

  @Test func `short writes and reads are continued`() throws {
    let scratch = try Scratch()
    let bytes = pattern(1000)
    let part = try PartFile.create(scratch.place("x"))
    try FaultTable.withFaults([Fault(.pwrite, persists: true, .short(7))]) { try write(bytes, to: part) }
    var buffer = [UInt8](repeating: 0, count: 1000)
    let count = try FaultTable.withFaults([Fault(.pread, persists: true, .short(13))]) {
      try buffer.withUnsafeMutableBytes { try part.read(into: $0, at: 0) }
    }
    #expect(count == 1000 && buffer == bytes)
  }

  @Test func `large data is written in parts of 16 KiB, on tmpfs in one call`() throws {
    let scratch = try Scratch()
    let bytes = pattern(50_000)
    let isInMemory = try SystemCalls.fstatfs(scratch.directory.base.raw).isInMemory
    let pieces: [Int64] = isInMemory ? [50_000] : [16384, 16384, 16384, 848]
    #expect(try writes(bytes, scratch) == pieces)
    #expect(try writes(bytes, scratch, behind: [Fault(.fstatfs, persists: true, .failure(ENOSYS))]).count == 4)
    guard let memory = try? Scratch(on: "/dev/shm"), try SystemCalls.fstatfs(memory.directory.base.raw).isInMemory
    else { return }
    #expect(try writes(bytes, memory) == [50_000])
  }

  /// The lengths of the writes.
  private func writes(_ bytes: [UInt8], _ scratch: Scratch, behind faults: [Fault] = []) throws -> [Int64] {
    // Opened again, because the kind of file system is determined once.
    let directory = try TargetDirectory.open(path: Array(scratch.path.utf8))
    let part = try PartFile.create(directory.resolve([Array("x".utf8)]))
    let calls = try FaultTable.recording {
      try FaultTable.withFaults(faults) { try write(bytes, to: part) }
    }
    #expect(scratch.read("x.swiftget-part") == bytes)
    return calls.filter { $0.call == .pwrite }.map(\.length)
  }

  @Test func `a write that accepts no bytes fails`() throws {
    let scratch = try Scratch()
    let part = try PartFile.create(scratch.place("x"))
    #expect(throws: SystemCallError(.pwrite, EIO)) {
      try FaultTable.withFaults([Fault(.pwrite, persists: true, .short(0))]) { try write([1], to: part) }
    }
  }

  @Test func `recorded bytes are not overwritten`() throws {
    let scratch = try Scratch()
    let part = try PartFile.create(scratch.place("x"))
    try write([1, 1, 1, 1, 1, 1], to: part)
    let written = try [UInt8](repeating: 2, count: 6).withUnsafeBytes {
      try part.write($0, at: 1, keeping: ByteRangeSet([0..<2, 3..<5]))
    }
    #expect(written == [2..<3, 5..<7])
    var buffer = [UInt8](repeating: 0, count: 10)
    let count = try buffer.withUnsafeMutableBytes { try part.read(into: $0, at: 0) }
    #expect(Array(buffer.prefix(count)) == [1, 1, 2, 1, 1, 2, 2])
  }

  @Test func `a failed sync stays failed`() throws {
    let scratch = try Scratch()
    let part = try PartFile.create(scratch.place("x"))
    try write([1], to: part)
    #expect(throws: SystemCallError(.fdatasync, EIO)) {
      try FaultTable.withFaults([Fault(.fdatasync, .failure(EIO))]) { try part.dataSync() }
    }
    let calls = FaultTable.recording {
      #expect(throws: SystemCallError(.fdatasync, EIO)) { try part.dataSync() }
    }
    #expect(calls.isEmpty)
    #expect(throws: PublicationError.systemCall(SystemCallError(.fdatasync, EIO))) {
      try Publisher().publish(
        part, sidecar: nil, byteCount: 1, PublishOrder(), syncs: true)
    }
    #expect(scratch.names == ["x.swiftget-part"])
  }

  @Test func `an existing part file is opened, a link or directory is refused`() throws {
    let scratch = try Scratch()
    #expect(try PartFile.openExisting(scratch.place("x"))?.name == nil)
    try scratch.write("x.swiftget-part", [1, 2, 3])
    #expect(try PartFile.openExisting(scratch.place("x"))?.size == 3)
    try scratch.write("victim", [9])
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/l.swiftget-part", withDestinationPath: "victim")
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/d.swiftget-part", withIntermediateDirectories: false)
    #expect(mkfifo(scratch.path + "/p.swiftget-part", 0o600) == 0)
    for name in ["l", "d", "p"] {
      let error = PartOpenError.foreign(ForeignFile(name: Array("\(name).swiftget-part".utf8), .notRegular))
      #expect(throws: error) { try PartFile.openExisting(scratch.place(name)) }
      #expect(throws: error) { try PartFile.create(scratch.place(name)) }
    }
    #expect(scratch.read("victim") == [9])
  }

  @Test func `a fresh start replaces the old bytes`() throws {
    let scratch = try Scratch()
    try scratch.write("x.swiftget-part", [1, 2, 3])
    let part = try PartFile.create(scratch.place("x"))
    try write([9], to: part)
    #expect(scratch.read("x.swiftget-part") == [9])
  }

  @Test func `a part file with another link is left alone`() throws {
    let scratch = try Scratch()
    try scratch.write("x.swiftget-part", [1, 2, 3])
    #expect(link(scratch.path + "/x.swiftget-part", scratch.path + "/kept") == 0)
    let foreign = ForeignFile(name: Array("x.swiftget-part".utf8), .otherLinks)
    #expect(throws: PartOpenError.foreign(foreign)) { try PartFile.create(scratch.place("x")) }
    #expect(throws: PartOpenError.foreign(foreign)) { try PartFile.openExisting(scratch.place("x")) }
    #expect(scratch.names == ["kept", "x.swiftget-part"] && scratch.read("kept") == [1, 2, 3])
  }

  @Test(.enabled(if: geteuid() == 0)) func `a part file of another user is left alone`() throws {
    let scratch = try Scratch()
    try scratch.write("x.swiftget-part", [1, 2, 3])
    #expect(chown(scratch.path + "/x.swiftget-part", 65534, 65534) == 0)
    let foreign = ForeignFile(name: Array("x.swiftget-part".utf8), .otherOwner)
    #expect(throws: PartOpenError.foreign(foreign)) { try PartFile.create(scratch.place("x")) }
    #expect(throws: PartOpenError.foreign(foreign)) { try PartFile.openExisting(scratch.place("x")) }
    #expect(scratch.names == ["x.swiftget-part"] && scratch.read("x.swiftget-part") == [1, 2, 3])
  }

  @Test(arguments: [(0o600, false), (0o644, false), (0o620, true), (0o602, true)])
  func `a part file that others could write to is reported, and its mode is corrected`(mode: mode_t, wasExposed: Bool)
    throws
  {
    let scratch = try Scratch()
    try scratch.write("x.swiftget-part", [1])
    #expect(chmod(scratch.path + "/x.swiftget-part", mode) == 0)
    #expect(try PartFile.openExisting(scratch.place("x"))?.wasExposed == wasExposed)
    #expect(scratch.mode("x.swiftget-part") == 0o600)
    #expect(try PartFile.openExisting(scratch.place("x"))?.wasExposed == false)
  }

  @Test func `bytes after the recorded ranges are cut off`() throws {
    let scratch = try Scratch()
    try scratch.write("x.swiftget-part", [1, 2, 3, 4])
    let part = try #require(try PartFile.openExisting(scratch.place("x")))
    try part.cut(to: 2)
    #expect(scratch.read("x.swiftget-part") == [1, 2])
  }

  @Test func `a name that now belongs to another file is not removed`() throws {
    let scratch = try Scratch()
    let part = try PartFile.create(scratch.place("x"))
    #expect(unlink(scratch.path + "/x.swiftget-part") == 0)
    try part.remove()
    try scratch.write("x.swiftget-part", [7])
    try part.remove()
    #expect(scratch.read("x.swiftget-part") == [7])
  }

  @Test func `the longest names have distinct part and sidecar names`() throws {
    let scratch = try Scratch()
    for count in [240, 241, 242, 246, 247, 255] {
      let name = [UInt8](repeating: 0x61, count: count)
      let place = try scratch.directory.resolve([name])
      let sidecar = try SidecarFile.open(place)
      let part = try PartFile.create(place)
      try write([1], to: part)
      try Publisher().publish(
        part, sidecar: sidecar, byteCount: 1, PublishOrder(), syncs: false)
    }
    #expect(scratch.names.map(\.utf8.count) == [240, 241, 242, 246, 247, 255])
    let short = TargetName.partName(for: Array(String(repeating: "€", count: 85).utf8))
    #expect(String(validating: short, as: UTF8.self) != nil && short.count <= 255)
    // Two long names that differ in the last byte only.
    let a = TargetName.partName(for: [UInt8](repeating: 0x61, count: 254) + [0x62])
    let b = TargetName.partName(for: [UInt8](repeating: 0x61, count: 254) + [0x63])
    #expect(a != b && a.count == 255 && b.count == 255)
  }

  @Test func `a file beyond the size limit is an error, not a signal`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100, rlim_max: 100)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let scratch = try Scratch()
      let part = try PartFile.create(scratch.place("x"))
      let error = #expect(throws: SystemCallError.self) { try write(pattern(200), to: part) }
      #expect(error?.kind == .fileTooLarge)
    }
  }
}
