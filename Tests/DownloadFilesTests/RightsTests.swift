import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

/// The rights of published files: mode, owner and access control list.
@Suite struct `The rights of a file` {
  /// The content of a small file, of a large one, and of one that is written whole.
  enum Way: CaseIterable { case small, temporary, large, whole }

  private func set(_ attribute: String, _ bits: String, of path: String) -> Bool {
    Attributes.set("system.posix_acl_\(attribute)", Attributes.accessList(bits), of: path)
  }

  private func accessList(of path: String) -> [UInt8]? { Attributes.get("system.posix_acl_access", of: path) }

  private func publish(_ way: Way, _ scratch: Scratch, replacing: Bool, umask: UInt32? = nil) throws {
    let place = try scratch.place("x")
    let publisher = Publisher()
    switch way {
    case .small, .temporary:
      let file = SmallFile(
        place: place, body: FilledBlock(copying: pattern(100)), PublishOrder(umask: umask, isReplacing: replacing))
      let faults = way == .temporary ? [Fault(.openat, number: replacing ? 2 : 1, .failure(EOPNOTSUPP))] : []
      let staged = try FaultTable.withFaults(faults) { try publisher.stage(file, syncs: true) }
      _ = try publisher.publishGroup([staged], syncs: true)[0].get()
    case .large:
      let part = try PartFile.create(place)
      try write(pattern(100), to: part)
      try publisher.publish(
        part, sidecar: nil, byteCount: 100, PublishOrder(umask: umask, isReplacing: replacing), syncs: true)
    case .whole:
      try WholeFile.replace(Array((scratch.path + "/x").utf8), durability: .none) {
        (write) throws(SystemCallError) in try write(pattern(100))
      }
    }
    #expect(scratch.read("x") == pattern(100) && scratch.names == ["x"], "\(way)")
  }

  @Test(arguments: Way.allCases) func `that is new are those of open(2)`(way: Way) throws {
    for bits in [nil, "77570", "64444", "77750"] {
      let (scratch, other) = (try Scratch(), try Scratch())
      if let bits, ![scratch, other].allSatisfy({ set("default", bits, of: $0.path) }) { return }
      try scratch.write("other", [1])
      let expected = (scratch.mode("other"), accessList(of: scratch.path + "/other"))
      try FileManager.default.removeItem(atPath: scratch.path + "/other")
      try publish(way, scratch, replacing: false)
      #expect(scratch.mode("x") == expected.0 && accessList(of: scratch.path + "/x") == expected.1, "\(bits ?? "none")")
      #expect(bits == nil || expected.1 != nil)
    }
  }

  @Test(arguments: Way.allCases) func `that replaces one are those of that one`(way: Way) throws {
    for (mode, bits) in [(0o640, nil), (0o7755, nil), (0o604, nil), (0o400, nil), (0o670, "67070")]
      as [(mode_t, String?)]
    {
      for hasDefault in [false, true] {
        let scratch = try Scratch()
        try scratch.write("x", [1])
        let path = scratch.path + "/x"
        if hasDefault, !set("default", "77777", of: scratch.path) { return }
        #expect(geteuid() != 0 || chown(path, 1234, 4321) == 0)
        #expect(chmod(path, mode) == 0)
        if let bits, !set("access", bits, of: path) { return }
        let expected = accessList(of: path)
        try publish(way, scratch, replacing: true)
        #expect(scratch.mode("x") == Int(mode & 0o777) && accessList(of: path) == expected)
        var status = stat()
        #expect(stat(path, &status) == 0 && (geteuid() != 0 || status.st_uid == 1234 && status.st_gid == 4321))
      }
    }
  }

  @Test func `are never wider than those of the file that it replaces, as long as it is unfinished`() throws {
    for way in [Way.small, .temporary, .whole] {
      let scratch = try Scratch()
      try scratch.write("x", [1])
      #expect(chmod(scratch.path + "/x", 0o600) == 0)
      let calls = try FaultTable.recording { try publish(way, scratch, replacing: true) }
      let made = calls.filter { $0.call == .openat && $0.mode != 0 }
      #expect(!made.isEmpty && made.allSatisfy { $0.mode & 0o077 == 0 }, "\(way)")
    }
  }

  @Test(arguments: [Way.small, .temporary, .large])
  func `that is new are those of another umask than the process's`(way: Way) throws {
    for umask: UInt32 in [0, 0o022, 0o027, 0o077, 0o777, FileCreationMask.current] {
      let scratch = try Scratch()
      let calls = try FaultTable.recording { try publish(way, scratch, replacing: false, umask: umask) }
      #expect(scratch.mode("x") == Int(0o666 & ~umask), "\(String(umask, radix: 8))")
      let made = calls.filter { $0.call == .openat && $0.mode != 0 && $0.mode != 0o600 }
      #expect(made.allSatisfy { umask == FileCreationMask.current || UInt32($0.mode) & umask == 0 }, "never wider")
    }
    // The umask of the process is as little asked.
    for bits in ["77570", "64444", "77750"] {
      let (scratch, other) = (try Scratch(), try Scratch())
      if ![scratch, other].allSatisfy({ set("default", bits, of: $0.path) }) { return }
      try other.write("x", [1])
      try publish(way, scratch, replacing: false, umask: 0o077)
      let path = other.path + "/x"
      #expect(scratch.mode("x") == other.mode("x") && accessList(of: scratch.path + "/x") == accessList(of: path))
    }
    let scratch = try Scratch()
    try scratch.write("x", [1])
    #expect(chmod(scratch.path + "/x", 0o640) == 0)
    try publish(way, scratch, replacing: true, umask: 0o077)
    #expect(scratch.mode("x") == 0o640)
  }

  @Test func `are those of the umask where nothing tells more`() throws {
    let scratch = try Scratch()
    let part = try PartFile.create(scratch.place("x"))
    _ = try FaultTable.withFaults([Fault(.openat, persists: true, .failure(EACCES))]) {
      try Publisher().publish(
        part, sidecar: nil, byteCount: 0, PublishOrder(), syncs: false)
    }
    #expect(scratch.mode("x") == Int(0o666 & ~FileCreationMask.current))
    let other = try PartFile.create(scratch.place("y"))
    _ = try FaultTable.withFaults([Fault(.openat, persists: true, .failure(EACCES))]) {
      try Publisher().publish(other, sidecar: nil, byteCount: 0, PublishOrder(umask: 0o027), syncs: false)
    }
    #expect(scratch.mode("y") == 0o640)
  }
}
