import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `Publishing` {
  let publisher = Publisher()
  let time = FileTime(seconds: 1_500_000_000)

  private func part(_ scratch: Scratch, _ name: String, _ bytes: [UInt8]) throws -> (PartFile, SidecarFile) {
    let place = try scratch.place(name)
    let sidecar = try SidecarFile.open(place)
    let part = try PartFile.create(place)
    try write(bytes, to: part)
    return (part, sidecar)
  }

  private func attributes(of bytes: [UInt8]) throws -> FileAttributes {
    let computer = try #require(DigestComputer([.sha256]))
    bytes.withUnsafeBytes { computer.update($0) }
    return FileAttributes(originURL: "https://example.org/x", digest: .found(computer.finish()[0]), urlHash: 77)
  }

  @Test func `a part file is published in an order that survives a power cut`() throws {
    let scratch = try Scratch()
    let bytes = pattern(5000)
    let (part, sidecar) = try part(scratch, "x", bytes)
    let calls = try FaultTable.recording {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 5000, PublishOrder(attributes: attributes(of: bytes), modified: time),
        syncs: true)
    }
    #expect(scratch.names == ["x"] && scratch.read("x") == bytes)
    #expect(scratch.mode("x") == 0o666 & ~Int(FileCreationMask.current))
    let order = calls.map(\.call).filter { [.fchmod, .futimens, .fsync, .renameat, .unlinkat].contains($0) }
    #expect(order == [.fchmod, .futimens, .fsync, .renameat, .fsync, .unlinkat])
    let lastAttribute = calls.lastIndex { $0.call == .fsetxattr }
    let firstSync = calls.firstIndex { $0.call == .fsync }
    #expect(lastAttribute.map { $0 < firstSync! } ?? true)
  }

  @Test func `a published file has its attributes and is vouched for`() throws {
    let scratch = try Scratch()
    try #require(scratch.hasAttributes, "no extended attributes on \(scratch.path)")
    let bytes = pattern(5000)
    let (part, sidecar) = try part(scratch, "x", bytes)
    let attributes = try attributes(of: bytes)
    try publisher.publish(
      part, sidecar: sidecar, byteCount: 5000, PublishOrder(attributes: attributes, modified: time), syncs: true)
    let hex = try #require(attributes.digest?.digest.hex)
    #expect(try scratch.attribute(.originURL, of: "x") == "https://example.org/x")
    #expect(try scratch.attribute(.shatagDigest, of: "x") == hex)
    #expect(try scratch.attribute(.shatagTime, of: "x") == "1500000000")
    let mark = try #require(try scratch.attribute(.verified, of: "x"))
    #expect(mark.hasPrefix("sha256:\(hex) 5000 1500000000.000000000 ") && mark.hasSuffix(" 000000000000004d"))
    let file = try existing(scratch, "x")
    #expect(file.isVouched(for: attributes.digest!.digest) && file.isVouched(forURLHash: 77))
    #expect(file.modified == time)
  }

  @Test func `a file without a digest is vouched for by its origin if that is the whole URL`() throws {
    let scratch = try Scratch()
    try #require(scratch.hasAttributes, "no extended attributes on \(scratch.path)")
    let url = "https://example.org/x"
    let hash = StableHash.fnv1a(url)
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    try publisher.publish(
      part, sidecar: sidecar, byteCount: 50,
      PublishOrder(attributes: FileAttributes(originURL: url, urlHash: hash), modified: time), syncs: true)
    let mark = try #require(try scratch.attribute(.verified, of: "x"))
    #expect(mark.hasPrefix("whole-transfer:- 50 1500000000.000000000 ") && mark.hasSuffix(" user.xdg.origin.url"))
    #expect(try existing(scratch, "x").isVouched(forURLHash: hash))
    #expect(try !existing(scratch, "x").isVouched(forURLHash: 77))
    let descriptor = try SystemCalls.openat(scratch.place("x").directory.raw, Array("x".utf8), O_RDWR)
    try SystemCalls.fsetxattr(descriptor.raw, .originURL, Array("https://example.org/y".utf8))
    #expect(try !existing(scratch, "x").isVouched(forURLHash: hash), "another origin")
  }

  /// The second in a mark.
  private func second(of scratch: Scratch, _ name: String) throws -> Int64 {
    let text = try #require(try scratch.attribute(.verified, of: name))
    return try #require(VerifiedMark(bytes: Array(text.utf8))).writtenAt
  }

  @Test func `a mark that became old during the sync is written again before the rename`() throws {
    let scratch = try Scratch()
    try #require(scratch.hasAttributes, "no extended attributes on \(scratch.path)")
    let impatient = Publisher(markPatience: 0)
    let bytes = pattern(5000)
    let (part, sidecar) = try part(scratch, "x", bytes)
    let attributes = try attributes(of: bytes)
    let small = SmallFile(
      place: try scratch.place("y"), body: FilledBlock(copying: bytes),
      PublishOrder(attributes: attributes, modified: time))
    let staged = try impatient.stage(small, syncs: true)
    pause(seconds: 1.1)
    let calls = try FaultTable.recording {
      try impatient.publish(
        part, sidecar: sidecar, byteCount: 5000, PublishOrder(attributes: attributes, modified: time), syncs: true)
      #expect(failures(impatient.publishGroup([staged], syncs: true)).isEmpty)
    }
    let marks = calls.indices.filter {
      calls[$0].call == .fsetxattr && calls[$0].path == Array(AttributeName.verified.rawValue.utf8)
    }
    let names = calls.indices.filter { [.renameat, .linkat].contains(calls[$0].call) && calls[$0].result >= 0 }
    #expect(marks.count == 3 && names.count == 2)
    // After the sync, just before the rename.
    #expect(calls[..<names[0]].last { $0.call == .fsync || $0.call == .fsetxattr }?.call == .fsetxattr)
    #expect(calls[..<names[1]].last { $0.call == .fsync || $0.call == .fsetxattr }?.call == .fsetxattr)
    for name in ["x", "y"] {
      #expect(try existing(scratch, name).isVouched(for: attributes.digest!.digest))
      #expect(try existing(scratch, name).changed.seconds - second(of: scratch, name) <= 1)
    }
  }

  @Test func `a recent mark is written once`() throws {
    let scratch = try Scratch()
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    let calls = try FaultTable.recording {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 50, PublishOrder(attributes: FileAttributes(urlHash: 77), modified: time),
        syncs: true)
    }
    #expect(calls.count { $0.call == .fsetxattr } == 1)
  }

  @Test func `a part file whose name belongs to another file is not published`() throws {
    let scratch = try Scratch()
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    #expect(unlink(scratch.path + "/x.swiftget-part") == 0)
    try scratch.write("x.swiftget-part", pattern(50, seed: 3))
    #expect(throws: PublicationError.partReplaced) {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 50, PublishOrder(), syncs: true)
    }
    #expect(throws: PartOpenError.systemCall(SystemCallError(.renameat, ENOENT))) {
      try publisher.setAside(part, sidecar: sidecar)
    }
    try part.remove()
    try sidecar.remove()
    #expect(scratch.names == ["x.swiftget-part"] && scratch.read("x.swiftget-part") == pattern(50, seed: 3))
  }

  private func existing(_ scratch: Scratch, _ name: String) throws -> ExistingTarget.RegularFile {
    guard case .regular(let file) = try ExistingTarget.inspect(scratch.place(name)) else {
      throw SystemCallError(.openat, EINVAL)
    }
    return file
  }

  @Test func `without syncs there are neither syncs nor attributes`() throws {
    let scratch = try Scratch()
    let bytes = pattern(50)
    let (part, sidecar) = try part(scratch, "x", bytes)
    let calls = try FaultTable.recording {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 50, PublishOrder(attributes: attributes(of: bytes), modified: time),
        syncs: false)
      let staged = try publisher.stage(
        SmallFile(
          place: scratch.place("y"), body: FilledBlock(copying: bytes),
          PublishOrder(attributes: attributes(of: bytes))), syncs: false)
      _ = publisher.publishGroup([staged], syncs: false)
    }
    #expect(!calls.contains { [.fsync, .fdatasync, .syncfs, .fsetxattr].contains($0.call) })
    #expect(scratch.names == ["x", "y"])
  }

  @Test func `missing support for attributes is no failure`() throws {
    let scratch = try Scratch()
    for (index, errno) in [ENOTSUP, EPERM, ENOSPC].enumerated() {
      let bytes = pattern(50)
      let (part, sidecar) = try part(scratch, "x\(index)", bytes)
      let finished = try FaultTable.withFaults([Fault(.fsetxattr, persists: true, .failure(errno))]) {
        try publisher.publish(
          part, sidecar: sidecar, byteCount: 50, PublishOrder(attributes: attributes(of: bytes)), syncs: true)
      }
      // An index takes the place of the attribute.
      let noted = try #require(finished)
      guard case .regular(let file) = try ExistingTarget.inspect(scratch.place("x\(index)"), noted: noted) else {
        Issue.record("x\(index) is no file")
        continue
      }
      #expect(!noted.isMarked && file.believedMark == noted.mark)
    }
    #expect(scratch.names == ["x0", "x1", "x2"])
  }

  @Test func `a target that appeared during the download is left alone`() throws {
    let scratch = try Scratch()
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    try scratch.write("x", [9])
    #expect(throws: PublicationError.targetAppeared) {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 50, PublishOrder(), syncs: true)
    }
    #expect(scratch.read("x") == [9])
    #expect(scratch.names == ["x", "x.swiftget", "x.swiftget-part"])
  }

  @Test(arguments: [[Int32](), [EPERM]])
  func `without RENAME_NOREPLACE a file is published by link`(linkErrors: [Int32]) throws {
    let scratch = try Scratch()
    let faults = [Fault(.renameat, .failure(EINVAL))] + linkErrors.map { Fault(.linkat, .failure($0)) }
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    _ = try FaultTable.withFaults(faults) {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 50, PublishOrder(), syncs: true)
    }
    #expect(scratch.names == ["x"] && scratch.read("x") == pattern(50))
    let (second, _) = try self.part(scratch, "x", pattern(50, seed: 2))
    #expect(throws: PublicationError.targetAppeared) {
      try FaultTable.withFaults(faults) {
        try publisher.publish(
          second, sidecar: nil, byteCount: 50, PublishOrder(), syncs: true)
      }
    }
    #expect(scratch.read("x") == pattern(50))
  }

  @Test func `the mode of a replaced file is kept, and a replaced link is not followed`() throws {
    let scratch = try Scratch()
    try scratch.write("x", [9])
    chmod(scratch.path + "/x", 0o4640)
    try scratch.write("victim", [8])
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/l", withDestinationPath: "victim")
    for name in ["x", "l"] {
      let (part, sidecar) = try part(scratch, name, pattern(50))
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 50, PublishOrder(isReplacing: true), syncs: true)
    }
    #expect(scratch.mode("x") == 0o640)
    #expect(scratch.read("victim") == [8])
    #expect(try ExistingTarget.inspect(scratch.place("l")) != .symbolicLink && scratch.read("l") == pattern(50))
  }

  @Test func `a part file of another length is not published`() throws {
    let scratch = try Scratch()
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    #expect(throws: PublicationError.wrongLength(found: 50)) {
      try publisher.publish(
        part, sidecar: sidecar, byteCount: 49, PublishOrder(), syncs: true)
    }
    #expect(scratch.read("x") == nil)
  }

  @Test func `a wrong file is set aside and its sidecar is removed`() throws {
    let scratch = try Scratch()
    try scratch.write("x.swiftget-bad", [1])
    // As an earlier run has set it aside.
    #expect(chmod(scratch.path + "/x.swiftget-bad", 0o600) == 0)
    let (part, sidecar) = try part(scratch, "x", pattern(50))
    #expect(try publisher.setAside(part, sidecar: sidecar) == Array("x.swiftget-bad".utf8))
    #expect(scratch.names == ["x.swiftget-bad"] && scratch.read("x.swiftget-bad") == pattern(50))
  }

  // MARK: Groups

  private func stage(
    _ scratch: Scratch, _ count: Int, seed: UInt8 = 1, replacing: Bool = false
  ) throws -> [StagedFile] {
    try (0..<count).map { index in
      try publisher.stage(
        SmallFile(
          place: scratch.place("f\(index)"), body: FilledBlock(copying: pattern(100 + index, seed: seed)),
          PublishOrder(modified: time, isReplacing: replacing)),
        syncs: true)
    }
  }

  private func failures(_ results: [Result<FinishedFile?, PublicationError>]) -> [PublicationError] {
    results.compactMap { result in
      if case .failure(let error) = result { error } else { nil }
    }
  }

  @Test(arguments: [1, 15, 16, 40])
  func `a group is synced and named, and its directory is synced once`(count: Int) throws {
    let scratch = try Scratch()
    let staged = try stage(scratch, count)
    #expect(scratch.names.isEmpty)
    var results: [Result<FinishedFile?, PublicationError>] = []
    let calls = FaultTable.recording { results = publisher.publishGroup(staged, syncs: true) }
    #expect(failures(results).isEmpty)
    #expect(scratch.names.count == count)
    for index in 0..<count { #expect(scratch.read("f\(index)") == pattern(100 + index)) }
    #expect(scratch.mode("f0") == 0o666 & ~Int(FileCreationMask.current))
    let grouped = count >= 16
    #expect(calls.filter { $0.call == .syncfs }.count == (grouped ? 1 : 0))
    #expect(calls.filter { $0.call == .fsync }.count == (grouped ? 1 : count + 1))
    #expect(calls.last?.call == .fsync)
  }

  @Test(arguments: [0o644, 0o600]) func `content is not set aside over a file of somebody else`(mode: Int) throws {
    let scratch = try Scratch()
    let place = try scratch.place("x")
    let bad = scratch.path + "/x.swiftget-bad"
    try scratch.write("x.swiftget-bad", [9])
    #expect(chmod(bad, mode_t(mode)) == 0)
    let part = try PartFile.create(place)
    if mode == 0o600 {
      // As one that an earlier run has set aside.
      try publisher.setAside(part, sidecar: nil)
      #expect(scratch.names == ["x.swiftget-bad"] && scratch.read("x.swiftget-bad") == [])
      Publisher.removeRejected(beside: place)
      #expect(scratch.names.isEmpty)
    } else {
      #expect(throws: PartOpenError.foreign(ForeignFile(name: Array("x.swiftget-bad".utf8), .notPrivate))) {
        try publisher.setAside(part, sidecar: nil)
      }
      Publisher.removeRejected(beside: place)
      #expect(scratch.names == ["x.swiftget-bad", "x.swiftget-part"] && scratch.read("x.swiftget-bad") == [9])
      #expect(link(bad, scratch.path + "/other") == 0 && chmod(bad, 0o600) == 0)
      #expect(throws: PartOpenError.self) { try publisher.setAside(part, sidecar: nil) }
    }
  }

  @Test func `existing targets are left alone unless they are to be replaced`() throws {
    let scratch = try Scratch()
    try scratch.write("f1", [9])
    let refused = publisher.publishGroup(try stage(scratch, 3), syncs: true)
    #expect(failures(refused) == [.targetAppeared])
    #expect(scratch.read("f1") == [9] && scratch.read("f2") == pattern(102))
    let replaced = publisher.publishGroup(try stage(scratch, 3, seed: 5, replacing: true), syncs: true)
    #expect(failures(replaced).isEmpty)
    #expect(scratch.names == ["f0", "f1", "f2"] && scratch.read("f1") == pattern(101, seed: 5))
  }

  @Test(arguments: [EOPNOTSUPP, EISDIR, EINVAL])
  func `without O_TMPFILE a temporary name is used`(errno: Int32) throws {
    let scratch = try Scratch()
    try scratch.write("f1", [9])
    let staged = try FaultTable.withFaults([Fault(.openat, number: 2, .failure(errno))]) {
      try stage(scratch, 2, replacing: true)
    }
    #expect(scratch.names.filter { $0.hasSuffix(".swiftget-tmp") }.count == 2)
    #expect(failures(publisher.publishGroup(staged, syncs: true)).isEmpty)
    #expect(scratch.names == ["f0", "f1"] && scratch.read("f1") == pattern(101))
  }

  @Test func `a staged file that is not published leaves nothing`() throws {
    let scratch = try Scratch()
    _ = try stage(scratch, 2)
    _ = try FaultTable.withFaults([Fault(.openat, .failure(EOPNOTSUPP))]) { try stage(scratch, 2) }
    #expect(scratch.names.isEmpty)
  }

  @Test func `a temporary name in use is skipped`() throws {
    let scratch = try Scratch()
    let staged = try FaultTable.withFaults([
      Fault(.openat, .failure(EOPNOTSUPP)), Fault(.openat, number: 2, .failure(EEXIST)),
    ]) { try stage(scratch, 1) }
    #expect(failures(publisher.publishGroup(staged, syncs: true)).isEmpty)
    #expect(scratch.names == ["f0"])
  }

  @Test func `after a failed group sync files are synced one by one, and only the failing one fails`() throws {
    let scratch = try Scratch()
    let staged = try stage(scratch, 20)
    let results = FaultTable.withFaults([Fault(.syncfs, .failure(EIO)), Fault(.fsync, number: 3, .failure(EIO))]) {
      publisher.publishGroup(staged, syncs: true)
    }
    #expect(failures(results) == [.systemCall(SystemCallError(.fsync, EIO))])
    #expect(scratch.names.count == 19 && !scratch.names.contains("f2"))
  }

  @Test func `a failed directory sync fails the files of that directory`() throws {
    let scratch = try Scratch()
    let other = try Scratch()
    let staged = try stage(scratch, 1) + stage(other, 1)
    let results = FaultTable.withFaults([Fault(.fsync, number: 3, .failure(EIO))]) {
      publisher.publishGroup(staged, syncs: true)
    }
    #expect(failures(results) == [.directorySync(SystemCallError(.fsync, EIO))])
  }

  @Test(arguments: [ENOENT, EPERM])
  func `if a descriptor cannot be linked directly, its path in /proc is linked`(errno: Int32) throws {
    let scratch = try Scratch()
    let staged = try stage(scratch, 2)
    let results = FaultTable.withFaults([Fault(.linkat, .failure(errno))]) {
      publisher.publishGroup(staged, syncs: true)
    }
    #expect(failures(results).isEmpty && scratch.names == ["f0", "f1"])
  }
}
