import Glibc
import SwiftGet
import TestSupport
import Testing

/// The programs of `Examples`, as a user runs them.
@Suite(.waiting) struct `Examples` {
  private let content = Content.generated(seed: 101, byteCount: 300_000)
  private let rig: SessionRig

  init() throws { rig = try SessionRig(["/a": content, "/b": content]) }

  private func run(_ name: String, _ arguments: String...) throws -> ProgramResult {
    // Programs that end with an open session hold objects by pointers with tags, which are taken for lost.
    try runProgram(
      try productPath(name), arguments, environment: ["ASAN_OPTIONS": "detect_leaks=0"], directory: rig.target.path)
  }

  @Test func `fetch: a downloader`() throws {
    let checksum = "sha256:\(try content.hexDigest())"
    var result = try run("fetch", "-d", "sub", "-o", "x", "-c", checksum, rig.server.url("/a"))
    #expect(result.status == 0 && result.outputText == "\(rig.target.path("sub/x")), \(checksum) (given)\n")
    #expect(try rig.isRight("sub/x", content))
    result = try run("fetch", rig.server.url("/b"), rig.server.url("/missing"))
    #expect(result.status == 8 && result.outputText == "\(rig.target.path("b"))\n")
    #expect(result.errorText.contains("missing") && result.errorText.contains("404"))
    #expect(try run("fetch").status == 2)
  }

  @Test func `a package elsewhere builds with the library`() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let scratch = "\(root)/.build/examples"
    let build = try runProgram(
      "/usr/bin/env",
      ["swift", "build", "--package-path", "\(root)/Examples", "--scratch-path", scratch],
      environment: ["HOME": rig.target.path, "PATH": getenv("PATH").map { String(cString: $0) } ?? ""], timeLimit: 900)
    #expect(build.status == 0 && !build.outputText.contains("warning:"), "\(build.outputText)\(build.errorText)")
    let result = try runProgram("\(scratch)/debug/fetch", [rig.server.url("/a")], directory: rig.target.path)
    #expect(result.status == 0 && result.outputText == "\(rig.target.path("a"))\n")
    let ends = try runProgram("\(scratch)/debug/progress", [rig.target.path, rig.server.url("/b")])
    #expect(ends.status == 0 && ends.outputText.contains("end 1: "), "\(ends.outputText)")
  }

  @Test func `models: a server that refuses to start without its files`() throws {
    let digest = try content.hexDigest()
    let result = try run("models", rig.target.path, rig.server.url(""), "a=\(digest)", "b=\(digest)")
    #expect(result.status == 0 && result.outputText.contains("serving \(rig.target.path("b")), 300000 bytes"))
    let count = rig.server.requests.count
    #expect(try run("models", rig.target.path, rig.server.url(""), "a=\(digest)", "b=\(digest)").status == 0)
    #expect(rig.server.requests.count == count)
    let refused = try run("models", rig.target.path, rig.server.url(""), "a=\(digest)", "missing=\(digest)")
    #expect(refused.status == 8 && refused.outputText.contains("cannot start: 1 of 2 files are missing"))
  }

  @Test func `progress: each end once, numbered`() throws {
    let result = try run("progress", rig.target.path, rig.server.url("/a"), rig.server.url("/b"), "ftp://x/")
    #expect(result.status == 1 && result.outputText.contains("ftp://x/: ftp is not supported"))
    let ends = result.outputText.split(separator: "\n").filter { $0.hasPrefix("end ") }
    #expect(ends.count == 2 && ends[0].hasPrefix("end 1: ") && ends[1].hasPrefix("end 2: "))
  }

  @Test func `shows: an actor that owns a queue`() throws {
    var result = try run("shows", rig.target.path, "news=\(rig.server.url("/a"))", "music=\(rig.server.url("/b"))")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.outputText == "watch \(rig.target.path("a"))\nwatch \(rig.target.path("b"))\n")
    result = try run("shows", rig.target.path, "news=\(rig.server.url("/missing"))")
    #expect(result.status == 1 && result.outputText.hasPrefix("again: 1\nmissing "))
  }
}
