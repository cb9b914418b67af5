import TestSupport
import Testing

/// Command lines of people who know curl, and what they are told.
@Suite(.waiting) struct `Other habits` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let content = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.content, "/x-[1-2]": Self.content]))
  }

  @Test(arguments: [(["-sSL"], true), (["-s"], true), (["-q"], false), ([], false), (["-sSL", "-o", "-"], false)])
  func `the content does not go to the pipe unasked`(options: [String], isTold: Bool) throws {
    let result = try place.run(place.invocation(options + [server.url("/a")]))
    let hint = "hint: -o - writes it to standard output"
    #expect(result.status == 0 && result.errorText.contains(hint) == isTold, "\(result.told)")
    #expect(options.contains("-o") ? result.outputText == "0123456789" : place.holds("a", Self.content))
  }

  @Test func `braces and brackets are what they are, and that is said`() throws {
    let hint = "hint: --glob makes several URLs of one, as curl does"
    let plain = try place.run(server.url("/x-[1-2]"))
    #expect(plain.status == 0 && place.names == ["x-[1-2]"] && plain.errorText.contains(hint), "\(plain.told)")
    let named = try place.run("-O", "y-[001-003]", server.url("/a"))
    #expect(named.status == 0 && named.errorText.contains(hint), "\(named.told)")
    let quiet = try place.run("-q", "--if-exists", "replace", server.url("/x-[1-2]"))
    #expect(quiet.status == 0 && quiet.errorText.isEmpty, "\(quiet.told)")
    for other in [server.url("/a"), server.url("/a").replacing("127.0.0.1", with: "[::1]")] {
      #expect(try !place.run("--tries", "1", other).errorText.contains("--glob"))
    }
  }

  @Test(arguments: ["--help", "--generate man"]) func `who reads the beginning only is no failure`(option: String)
    throws
  {
    let program = try swiftgetPath()
    let result = try runProgram(
      "/bin/bash", ["-c", "set -o pipefail; \(program) \(option) | true; echo ${PIPESTATUS[0]}"])
    #expect(result.errorText.isEmpty && result.outputText == "0\n", "\(result.told)")
  }
}
