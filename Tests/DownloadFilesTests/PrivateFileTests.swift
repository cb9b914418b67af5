@testable import DownloadFiles
import Foundation
import Testing

@Suite struct `A private file` {
  private func replace(_ path: String, _ text: String) throws {
    try PrivateFile.replace(Array(path.utf8), with: Array(text.utf8), syncs: true)
  }

  @Test func `is replaced as a whole, with permissions for its owner only`() throws {
    let scratch = try Scratch()
    try scratch.write("jar", Array("a longer old content".utf8))
    #expect(scratch.mode("jar") != 0o600)
    try replace(scratch.path + "/jar", "new")
    #expect(scratch.read("jar") == Array("new".utf8) && scratch.mode("jar") == 0o600 && scratch.names == ["jar"])
    try replace(scratch.path + "/other", "x")
    #expect(scratch.mode("other") == 0o600)
  }

  @Test func `replaces a symbolic link and not its target`() throws {
    let scratch = try Scratch()
    try scratch.write("target", Array("kept".utf8))
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/jar", withDestinationPath: "target")
    try replace(scratch.path + "/jar", "new")
    #expect(scratch.read("target") == Array("kept".utf8) && scratch.read("jar") == Array("new".utf8))
  }

  @Test func `leaves nothing beside a directory that has its name`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path + "/jar", withIntermediateDirectories: false)
    #expect(throws: SystemCallError(.renameat, EISDIR)) { try replace(scratch.path + "/jar", "new") }
    #expect(throws: SystemCallError(.openat, ENOENT)) { try replace(scratch.path + "/none/jar", "new") }
    #expect(scratch.names == ["jar"])
  }

  @Test func `goes around the temporary file of a killed run`() throws {
    let scratch = try Scratch()
    let name = StoredName.temporary(of: Array("jar".utf8), process: getpid(), number: 0, limit: 255)
    try scratch.write(String(decoding: name, as: UTF8.self), Array("old".utf8))
    try replace(scratch.path + "/jar", "new")
    #expect(scratch.read("jar") == Array("new".utf8) && scratch.names.count == 2)
  }
}
