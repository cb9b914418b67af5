import DownloadCore
@testable import DownloadFiles
import Glibc
import TestSupport
import Testing

/// What stands in for locks on a file system without them.
@Suite struct `Holder of a target` {
  private static let withoutLocks = [Fault(.flock, persists: true, .failure(ENOLCK))]
  private let scratch: Scratch
  private let place: TargetPlace

  init() throws {
    scratch = try Scratch()
    place = try scratch.place("x")
  }

  private func open() throws -> SidecarFile {
    try FaultTable.withFaults(Self.withoutLocks) { try SidecarFile.open(place) }
  }

  /// `pid PROCESS START BOOT`, with the numbers of a process as /proc has them.
  private func words(of process: Int32) throws -> [String] {
    let text = String(decoding: try readFile("/proc/\(process)/stat"), as: UTF8.self)
    let fields = text[text.index(after: try #require(text.lastIndex(of: ")")))...].split(separator: " ")
    let boot = String(decoding: ProcessStamp.current.line, as: UTF8.self).split(separator: " ")[3]
    return ["pid", "\(process)", String(fields[19]), String(boot)]
  }

  /// Leaves a sidecar with a record that names this holder.
  private func leave(_ words: [String]) throws {
    try open().startOver(with: record(for: "x", length: 9000))
    try replaceHolder(words)
  }

  private func replaceHolder(_ words: [String]) throws {
    let line = words.joined(separator: " ")
    let filled = line + String(repeating: " ", count: 63 - line.utf8.count) + "\n"
    let bytes = try #require(scratch.read("x.swiftget"))
    try scratch.write("x.swiftget", bytes.prefix(32768) + Array(filled.utf8))
  }

  @Test func `is written as /proc describes this process`() throws {
    let found = try words(of: getpid())
    let line = String(decoding: ProcessStamp.current.line, as: UTF8.self)
    #expect(line.split { " \n".contains($0) } == found.map { $0[...] })
    #expect(ProcessStamp.current.line.count == 64 && ProcessStamp.current.isRunning)
    #expect(ProcessStamp(text: ProcessStamp.current.line) == .current)
  }

  @Test func `keeps others out while it runs, and not longer`() throws {
    let child = try SpawnedProgram("/bin/sleep", ["60"])
    try leave(words(of: child.identifier))
    #expect(throws: SidecarOpenError.held(process: child.identifier)) { try open() }
    child.kill()
    _ = child.wait()
    #expect(try !open().isLocked)
  }

  @Test func `keeps others of this process out as long as the sidecar is open`() throws {
    let first = try open()
    let held = SidecarOpenError.held(process: getpid())
    #expect(throws: held) { try open() }
    #expect(throws: held) {
      try FaultTable.withFaults(Self.withoutLocks) { _ = try SidecarFile.openExisting(place) }
    }
    // Another target is another matter, and so is a new sidecar under the same name.
    let other = try FaultTable.withFaults(Self.withoutLocks) { try SidecarFile.open(scratch.place("y")) }
    try first.remove()
    let second = try open()
    #expect(throws: held) { try open() }
    withExtendedLifetime((first, other, second)) {}
  }

  @Test func `lets others of this process in once the sidecar is closed`() throws {
    do { _ = try open() }
    #expect(try !open().isLocked)
    // A sidecar that could not be opened is not open.
    let faults = Self.withoutLocks + [Fault(.pwrite, .failure(EIO))]
    #expect(throws: SidecarOpenError.self) { try FaultTable.withFaults(faults) { _ = try SidecarFile.open(place) } }
    #expect(try !open().isLocked)
  }

  @Test(arguments: [1, 2, 3]) func `is no other process with its id, and none of another boot`(changed: Int) throws {
    let child = try SpawnedProgram("/bin/sleep", ["60"])
    var words = try words(of: child.identifier)
    words[changed] = changed == 1 ? "\(Int32.max)" : "\(UInt64(words[changed])! / 2 + 1)"
    try leave(words)
    #expect(try !open().isLocked)
    // Of a version that wrote the process id alone.
    try replaceHolder(["pid", "\(child.identifier)"])
    #expect(try !open().isLocked)
    child.kill()
    _ = child.wait()
  }

  @Test func `counts only without locks`() throws {
    let child = try SpawnedProgram("/bin/sleep", ["60"])
    try leave(words(of: child.identifier))
    #expect(try SidecarFile.open(place).isLocked)
    child.kill()
    _ = child.wait()
  }

  @Test func `may still be making the sidecar that another run reads`() throws {
    try scratch.write("x.swiftget", [])
    chmod(scratch.path + "/x.swiftget", 0o600)
    let path = scratch.path + "/x.swiftget"
    // It grows while the second look at its status takes long.
    startThread {
      pause(seconds: 0.1)
      truncate(path, 32768)
    }
    let sidecar = try FaultTable.withFaults(Self.withoutLocks + [Fault(.fstat, number: 2, .late(300))]) {
      try SidecarFile.open(place)
    }
    #expect(!sidecar.isLocked)
  }

  @Test func `that has lost the target records nothing more and removes nothing`() throws {
    let sidecar = try open()
    try sidecar.startOver(with: record(for: "x", length: 9000))
    try sidecar.recordWritten(record(for: "x", done: 100, length: 9000))
    try replaceHolder(["pid", "12", "34", "56"])
    let before = scratch.read("x.swiftget")
    let lost = SystemCallError(.flock, EWOULDBLOCK)
    #expect(throws: lost) { try sidecar.recordWritten(record(for: "x", done: 200, length: 9000)) }
    #expect(throws: lost) { try sidecar.recordSynced(synced(record(for: "x", done: 200, length: 9000))) }
    #expect(throws: lost) { try sidecar.startOver(with: record(for: "x", length: 9000)) }
    try sidecar.remove()
    let part = try PartFile.create(place)
    #expect(throws: PublicationError.systemCall(lost)) {
      try Publisher().publish(
        part, sidecar: sidecar, byteCount: 0, PublishOrder(isReplacing: true), syncs: false)
    }
    #expect(scratch.read("x.swiftget") == before && scratch.names == ["x.swiftget", "x.swiftget-part"])
  }

  @Test(arguments: ["", "pid", "pid x 1 2", "PID 1 2 3", "pid 99999999999 1 2"])
  func `is not read from another line`(line: String) {
    #expect(ProcessStamp(text: Array(line.utf8)) == nil)
  }
}
