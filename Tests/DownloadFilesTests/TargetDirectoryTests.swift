import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `Target directory` {
  func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `missing directories of the user's path are created and synced with their parents`() throws {
    let scratch = try Scratch()
    let calls = try FaultTable.recording {
      let directory = try TargetDirectory.open(path: bytes(scratch.path + "/a/b/c"))
      try directory.base.sync()
      try directory.base.sync()
    }
    #expect(calls.filter { $0.call == .mkdirat && $0.result == 0 }.count == 3)
    // c, b, a and the existing directory; the second time only c.
    #expect(calls.filter { $0.call == .fsync }.count == 5)
    #expect(FileManager.default.fileExists(atPath: scratch.path + "/a/b/c"))
  }

  @Test func `a created directory is synced even if its descriptor was closed in between`() throws {
    let scratch = try Scratch()
    _ = try scratch.directory.resolve([bytes("new"), bytes("x")])
    for index in 0..<20 { _ = try scratch.directory.resolve([bytes("d\(index)"), bytes("x")]) }
    let place = try scratch.directory.resolve([bytes("new"), bytes("x")])
    let calls = try FaultTable.recording { try place.directory.sync() }
    #expect(calls.filter { $0.call == .fsync }.count == 2)
  }

  @Test(arguments: [
    ["..", "x"], ["a", "..", "x"], [".", "x"], ["", "x"], ["a", ".."], ["a", ""], [], ["a/b"], ["a\0b"],
  ])
  func `an invalid component is refused`(components: [String]) throws {
    let scratch = try Scratch()
    let error = #expect(throws: DirectoryError.self) { try scratch.directory.resolve(components.map(bytes)) }
    #expect(error?.cause == SystemCallError(.openat, EINVAL))
    #expect(scratch.names.isEmpty)
  }

  @Test func `a name from a list never follows a link, the user's path may`() throws {
    let scratch = try Scratch()
    let outside = try Scratch()
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: outside.path)
    #expect(throws: DirectoryError(bytes(scratch.path + "/link"), SystemCallError(.openat, ELOOP))) {
      try scratch.directory.resolve([bytes("link"), bytes("x")])
    }
    #expect(throws: DirectoryError(bytes(scratch.path + "/link"), SystemCallError(.openat, ELOOP))) {
      try scratch.directory.resolve([bytes("link"), bytes("deep"), bytes("x")])
    }
    let place = try TargetDirectory.place(userPath: bytes("link/deep/x"), relativeTo: scratch.directory)
    #expect(place.name == bytes("x"))
    #expect(outside.names == ["deep"])
  }

  @Test func `a file in place of a directory is reported`() throws {
    let scratch = try Scratch()
    try scratch.write("file", [1])
    let expected = DirectoryError(bytes(scratch.path + "/file"), SystemCallError(.openat, ENOTDIR))
    #expect(throws: expected) { try scratch.directory.resolve([bytes("file"), bytes("x")]) }
    #expect(throws: expected) { try scratch.directory.resolve([bytes("file"), bytes("deep"), bytes("x")]) }
    #expect(throws: expected) {
      try TargetDirectory.place(userPath: bytes("file/deep/x"), relativeTo: scratch.directory)
    }
    #expect(throws: expected) { try TargetDirectory.open(path: bytes(scratch.path + "/file/deep")) }
  }

  @Test func `the first directory that cannot be created is reported, with its own cause`() throws {
    let scratch = try Scratch()
    let expected = DirectoryError(bytes(scratch.path + "/a/b"), SystemCallError(.mkdirat, EACCES))
    FaultTable.withFaults([Fault(.mkdirat, number: 2, .failure(EACCES))]) {
      _ = #expect(throws: expected) {
        try TargetDirectory.open(path: bytes("a/b/c"), relativeTo: scratch.directory)
      }
    }
    #expect(scratch.names == ["a"])
    FaultTable.withFaults([Fault(.mkdirat, .failure(EACCES))]) {
      _ = #expect(throws: expected) { try scratch.directory.resolve([bytes("a"), bytes("b"), bytes("c"), bytes("x")]) }
    }
  }

  @Test(arguments: ["", "a/", ".", "..", "a/..", "/"])
  func `a user's path without a file name is refused`(path: String) throws {
    let scratch = try Scratch()
    #expect(throws: DirectoryError(bytes(path), SystemCallError(.openat, EISDIR))) {
      try TargetDirectory.place(userPath: bytes(path), relativeTo: scratch.directory)
    }
  }

  @Test func `opening without creating leaves nothing behind`() throws {
    let scratch = try Scratch()
    #expect(throws: DirectoryError(bytes(scratch.path + "/a"), SystemCallError(.openat, ENOENT))) {
      try scratch.directory.resolve([bytes("a"), bytes("x")], creating: false)
    }
    #expect(throws: DirectoryError(bytes(scratch.path + "/a"), SystemCallError(.openat, ENOENT))) {
      try TargetDirectory.open(path: bytes(scratch.path + "/a"), creating: false)
    }
    #expect(scratch.names.isEmpty)
  }

  @Test func `unusual names are accepted`() throws {
    let scratch = try Scratch()
    for name in [bytes("-rf"), bytes("..."), [0xFF, 0xFE], [UInt8](repeating: 0x61, count: 255)] {
      let place = try scratch.directory.resolve([name])
      #expect(try ExistingTarget.inspect(place) == .absent)
    }
    let long = try scratch.directory.resolve([[UInt8](repeating: 0x61, count: 256)])
    #expect(throws: SystemCallError(.fstatat, ENAMETOOLONG)) { try ExistingTarget.inspect(long) }
  }

  @Test func `a directory that was removed or renamed is not used again`() throws {
    let scratch = try Scratch()
    let components = [bytes("a"), bytes("b"), bytes("x")]
    func make() throws -> UInt64 {
      try SystemCalls.fstat(scratch.directory.resolve(components).directory.raw).inode
    }
    let first = try make()
    #expect(try make() == first)
    let manager = FileManager.default
    try manager.moveItem(atPath: scratch.path + "/a", toPath: scratch.path + "/old")
    let second = try make()
    #expect(second != first && manager.fileExists(atPath: scratch.path + "/a/b"))
    try manager.removeItem(atPath: scratch.path + "/a")
    _ = try make()
    #expect(manager.fileExists(atPath: scratch.path + "/a/b"))
    // A link in its place is not followed.
    try manager.removeItem(atPath: scratch.path + "/a")
    try manager.createSymbolicLink(atPath: scratch.path + "/a", withDestinationPath: "old")
    #expect(throws: DirectoryError.self) { try make() }
  }

  @Test func `a thousand directories need few descriptors`() throws {
    let scratch = try Scratch()
    let calls = try FaultTable.recording {
      for index in 0..<1000 {
        _ = try scratch.directory.resolve([bytes("d\(index % 100)"), bytes("e\(index)"), bytes("x")])
      }
    }
    var open = 0
    var highest = 0
    for call in calls where call.result >= 0 {
      if call.call == .openat { open += 1 }
      if call.call == .close { open -= 1 }
      highest = max(highest, open)
    }
    #expect(highest > 0 && highest < 200)
  }
}

@Suite struct `Existing target` {
  @Test func `each kind of file is recognized without opening special files`() throws {
    let scratch = try Scratch()
    try scratch.write("regular", pattern(10))
    try FileManager.default.createDirectory(atPath: scratch.path + "/directory", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: "regular")
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/dangling", withDestinationPath: "nowhere")
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    #expect(try ExistingTarget.inspect(scratch.place("absent")) == .absent)
    #expect(try ExistingTarget.inspect(scratch.place("directory")) == .directory)
    #expect(try ExistingTarget.inspect(scratch.place("link")) == .symbolicLink)
    #expect(try ExistingTarget.inspect(scratch.place("dangling")) == .symbolicLink)
    var pipe: ExistingTarget?
    let calls = try FaultTable.recording { pipe = try ExistingTarget.inspect(scratch.place("pipe")) }
    #expect(pipe == .special)
    #expect(calls.map(\.call) == [.fstatat])
    guard case .regular(let file) = try ExistingTarget.inspect(scratch.place("regular")) else {
      Issue.record("not seen as a regular file")
      return
    }
    #expect(file.size == 10 && file.verified == nil)
  }

  @Test func `an unreadable file has no mark and is found`() throws {
    let scratch = try Scratch()
    try scratch.write("x", [1, 2])
    let found = try FaultTable.withFaults([Fault(.openat, .failure(EACCES))]) {
      try ExistingTarget.inspect(scratch.place("x"))
    }
    guard case .regular(let file) = found else {
      Issue.record("not seen as a regular file")
      return
    }
    #expect(file.size == 2 && file.verified == nil)
  }

  @Test func `a verified file is marked unless it was changed during hashing`() throws {
    let scratch = try Scratch()
    try #require(scratch.hasAttributes, "no extended attributes on \(scratch.path)")
    try scratch.write("x", pattern(100))
    let computer = try #require(DigestComputer([.sha256]))
    pattern(100).withUnsafeBytes { computer.update($0) }
    let digest = computer.finish()[0]
    let file = try ExistingFile(scratch.place("x"))
    try file.mark(FileAttributes(digest: .found(digest)))
    guard case .regular(let found) = try ExistingTarget.inspect(scratch.place("x")) else {
      Issue.record("not seen as a regular file")
      return
    }
    #expect(found.isVouched(for: digest))
    try scratch.write("y", pattern(100))
    let touched = try ExistingFile(scratch.place("y"))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: scratch.path + "/y")
    try touched.mark(FileAttributes(digest: .found(digest)))
    #expect(try scratch.attribute(.verified, of: "y") == nil)
  }
}
