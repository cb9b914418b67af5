@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `A file that is replaced as a whole` {
  private func replace(_ scratch: Scratch, _ name: String, _ parts: [String]) throws {
    try WholeFile.replace(Array((scratch.path + "/" + name).utf8), durability: .contentAndName) {
      (write) throws(SystemCallError) in
      for part in parts { try write(Array(part.utf8)) }
    }
  }

  @Test func `has all parts in their order, and the mode of the file before it`() throws {
    let scratch = try Scratch()
    try scratch.write("list", Array("a longer old content".utf8))
    chmod(scratch.path + "/list", 0o640)
    try replace(scratch, "list", ["ab", "", "c"])
    #expect(scratch.read("list") == Array("abc".utf8) && scratch.mode("list") == 0o640 && scratch.names == ["list"])
  }

  @Test(arguments: [EPERM, ENOTSUP, ENOSYS])
  func `needs no modes`(errno: Int32) throws {
    let scratch = try Scratch()
    try scratch.write("list", Array("old".utf8))
    try FaultTable.withFaults([Fault(.fchmod, .failure(errno))]) { try replace(scratch, "list", ["new"]) }
    #expect(scratch.read("list") == Array("new".utf8))
    #expect(throws: SystemCallError(.fchmod, EIO)) {
      try FaultTable.withFaults([Fault(.fchmod, .failure(EIO))]) { try replace(scratch, "list", ["newer"]) }
    }
    #expect(scratch.read("list") == Array("new".utf8) && scratch.names == ["list"])
  }

  @Test func `keeps its old content if the new one cannot be written`() throws {
    let scratch = try Scratch()
    try scratch.write("list", Array("old".utf8))
    #expect(throws: SystemCallError(.pwrite, 28)) {
      try WholeFile.replace(Array((scratch.path + "/list").utf8), durability: .none) {
        (write) throws(SystemCallError) in
        try write(Array("new".utf8))
        throw SystemCallError(.pwrite, 28)
      }
    }
    #expect(scratch.read("list") == Array("old".utf8) && scratch.names == ["list"])
  }

  @Test func `is found by the directory and the name of its path`() {
    func split(_ path: String) -> [String] {
      let (directory, name) = WholeFile.split(Array(path.utf8))
      return [directory, name].map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(split("a") == [".", "a"] && split("/a") == ["/", "a"] && split("d/e/a") == ["d/e", "a"])
  }
}
