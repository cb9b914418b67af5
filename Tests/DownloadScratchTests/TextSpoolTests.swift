import Glibc
import TestSupport
import Testing

@testable import DownloadScratch

@Suite struct `A spool of text` {
  private let directory: TemporaryDirectory
  private var path: [UInt8] { Array(directory.path("file").utf8) }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [0, 1, 1000, 100_000])
  func `makes a file of all that was appended`(count: Int) throws {
    let spool = try TextSpool(beside: path)
    var whole: [UInt8] = []
    for number in 0..<count {
      let line = Array("\(number)\n".utf8)
      spool.append(line)
      whole += line
    }
    #expect(spool.byteCount == Int64(whole.count))
    try directory.write("file", "old")
    #expect(chmod(directory.path("file"), 0o640) == 0)
    try spool.replaceFile(beginning: [1, 2], end: [3], syncs: true)
    #expect(try directory.read("file") == [1, 2] + whole + [3])
    #expect(directory.names() == ["file"] && permissions == 0o640)
    try spool.replaceFile(isPrivate: true, syncs: false)
    #expect(try directory.read("file") == whole)
    #expect(permissions == 0o600)
  }

  @Test func `is refused where something else has the name of the file`() throws {
    try directory.makeDirectory("file")
    #expect(throws: FileFailure(path, .obstacle(.directory))) { try TextSpool(beside: path) }
    #expect(throws: FileFailure(Array("/dev/full".utf8), .obstacle(.special))) {
      try TextSpool(beside: Array("/dev/full".utf8))
    }
    // Links, too. The last one leads to a file that somebody has opened.
    try directory.write("opened", "old")
    let opened = open(directory.path("opened"), O_RDONLY | O_CLOEXEC)
    defer { close(opened) }
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    for (index, target) in ["/dev/full", directory.path("pipe"), "/proc/self/fd/\(opened)"].enumerated() {
      let link = directory.path("link\(index)")
      #expect(symlink(target, link) == 0)
      #expect(throws: FileFailure(Array(link.utf8), .obstacle(.special))) { try TextSpool(beside: Array(link.utf8)) }
    }
    #expect(symlink("opened", directory.path("link")) == 0)
    #expect(throws: Never.self) { try TextSpool(beside: Array(directory.path("link").utf8)) }
    let missing = Array(directory.path("none/file").utf8)
    #expect(throws: FileFailure(missing, .failed(.create, errno: ENOENT))) { try TextSpool(beside: missing) }
  }

  private var permissions: UInt32 {
    var status = stat()
    return stat(directory.path("file"), &status) == 0 ? status.st_mode & 0o7777 : 0
  }
}
