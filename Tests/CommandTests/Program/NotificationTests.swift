import Glibc
import TestSupport
import Testing

/// `--notify`.
@Suite(.waiting) struct `A desktop notification` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": .text("0123456789"), "/b": .text("0123456789")]))
  }

  /// Runs the program with a `notify-send` of this text; nil runs it without one.
  private func run(_ script: String?, _ arguments: [String]) throws -> ProgramResult {
    try place.directory.makeDirectory("bin")
    defer { _ = try? runProgram("/bin/rm", ["-r", place.directory.path("bin")]) }
    if let script {
      try place.script("bin/notify-send", script)
    }
    var invocation = try place.invocation(["--notify"] + arguments)
    let path = place.directory.path("bin") + (script == nil ? "" : ":/usr/bin:/bin")
    invocation.environment["PATH"] = path
    return try place.run(invocation)
  }

  private let note = "printf '[%s]' \"$@\" >> told; echo >> told"

  @Test func `says how the run has ended`() throws {
    #expect(try run(note, [server.url("/a")]).status == 0)
    #expect(try run(note, [server.url("/a"), server.url("/b"), server.url("/none")]).status == 8)
    #expect(try run(note, ["-i", "missing"]).status == 2)
    #expect(
      try place.text("told").split(separator: "\n") == [
        "[-a][swiftget][--][Download finished][1 file downloaded]",
        "[-a][swiftget][--][Download failed][1 file downloaded, 1 already there, 1 failed]",
        "[-a][swiftget][--][Download failed][exit status 2]",
      ])
  }

  @Test(arguments: [nil, "echo out; echo err >&2; exit 1", "kill -9 $$", "exec sleep 1000"] as [String?])
  func `that cannot be shown is no error, and says nothing`(script: String?) throws {
    let result = try run(script, ["-q", server.url("/a")])
    #expect(result.status == 0 && result.errorText.isEmpty && result.outputText.isEmpty, "\(result.told)")
  }
}
