@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `A tree of files` {
  private func handle(_ scratch: Scratch) throws -> DirectoryHandle {
    try TargetDirectory.open(path: Array(scratch.path.utf8), creating: false).base
  }

  @Test func `lists regular files by their names' bytes, and tells what it leaves out`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path + "/d", withIntermediateDirectories: false)
    for name in ["b", "a", "d/x", "d.y", "d/z.swiftget", "z.swiftget-tmp"] { try scratch.write(name, [1, 2]) }
    symlink("..", scratch.path + "/d/up")
    mkfifo(scratch.path + "/pipe", 0o600)
    let tree = try FileTree(handle(scratch))
    #expect(tree.files.map { String(decoding: $0.name, as: UTF8.self) } == ["a", "b", "d.y", "d/x"])
    #expect(tree.files.allSatisfy { $0.length == 2 })
    #expect(
      tree.leftOut.map { "\(String(decoding: $0.name, as: UTF8.self)) \($0.reason)" }
        == ["d/up symbolicLink", "d/z.swiftget reservedName", "pipe special", "z.swiftget-tmp reservedName"])
  }

  @Test func `leaves out one file by its name or by itself`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path + "/d", withIntermediateDirectories: false)
    for name in ["a", "d/a", "d/b"] { try scratch.write(name, [1]) }
    let root = try handle(scratch)
    let status = try SystemCalls.fstatat(root.raw, Array("d".utf8))
    let byName = try FileTree(root, excluding: .name(Array("a".utf8), in: status))
    #expect(byName.files.map { String(decoding: $0.name, as: UTF8.self) } == ["a", "d/b"])
    let other = try SystemCalls.fstatat(root.raw, Array("d/b".utf8))
    let byFile = try FileTree(root, excluding: .file(other))
    #expect(byFile.files.map { String(decoding: $0.name, as: UTF8.self) } == ["a", "d/a"])
  }

  @Test func `is removed without following links`() throws {
    let scratch = try Scratch()
    for name in ["t", "t/d", "kept"] {
      try FileManager.default.createDirectory(atPath: scratch.path + "/" + name, withIntermediateDirectories: false)
    }
    for name in ["t/a", "t/d/b", "kept/c"] { try scratch.write(name, [1]) }
    symlink("../kept", scratch.path + "/t/link")
    let root = try handle(scratch)
    try FileTree.remove(Array("t".utf8), in: root.raw)
    #expect(scratch.names == ["kept"] && scratch.read("kept/c") == [1])
  }

  @Test func `moves nothing over what is there`() throws {
    let scratch = try Scratch()
    for name in ["a", "b"] { try scratch.write(name, Array(name.utf8)) }
    let raw = try handle(scratch)
    #expect(throws: SystemCallError(.renameat, 17)) { try FileTree.move(raw.raw, Array("a".utf8), to: Array("b".utf8)) }
    _ = FaultTable.withFaults([Fault(.renameat, .failure(22))]) {
      #expect(throws: SystemCallError(.renameat, 17)) {
        try FileTree.move(raw.raw, Array("a".utf8), to: Array("b".utf8))
      }
    }
    try FaultTable.withFaults([Fault(.renameat, .failure(22))]) {
      try FileTree.move(raw.raw, Array("a".utf8), to: Array("c".utf8))
    }
    #expect(scratch.names == ["b", "c"] && scratch.read("b") == Array("b".utf8))
  }
}
