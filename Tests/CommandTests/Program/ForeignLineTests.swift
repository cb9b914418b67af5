import TestSupport
import Testing

/// The usual command lines of wget, curl and aria2 with our name in front.
@Suite(.waiting) struct `Usual lines of other tools` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a.bin": mediumFile, "/b.txt": .text("the second file\n")]))
  }

  @Test(arguments: [
    ["-O", "f", "URL"], ["-c", "-t", "0", "--no-verbose", "-O", "f", "URL"], ["-fsSL", "-o", "f", "URL"],
    ["-L", "--retry", "3", "--retry-connrefused", "--output", "f", "--url", "URL"],
    ["-x16", "-s16", "-k1M", "--continue=true", "-o", "f", "URL"],
    ["-x", "16", "-s", "16", "-k", "1M", "--file-allocation=none", "--out=f", "URL"],
  ])
  func `name the file`(line: [String]) throws {
    let result = try run(line)
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["f"] && place.holds("f", mediumFile))
  }

  @Test(arguments: [
    ["-LO", "URL"], ["-sSLO", "URL"], ["-OL", "URL"], ["-q", "--show-progress", "URL"],
    ["-x16", "-s16", "-k1M", "URL"], ["--continue=true", "--max-concurrent-downloads=5", "URL"],
    ["-C", "-", "-O", "URL"],
  ])
  func `leave the name to the URL`(line: [String]) throws {
    let result = try run(line)
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["a.bin"] && place.holds("a.bin", mediumFile))
  }

  @Test func `write to standard output`() throws {
    let result = try place.run("-qO-", server.url("/b.txt"))
    #expect(result.status == 0 && result.outputText == "the second file\n" && place.names.isEmpty, "\(result.told)")
  }

  @Test func `get one file for each -O`() throws {
    let result = try place.run("-LO", server.url("/a.bin"), "-O", server.url("/b.txt"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["a.bin", "b.txt"])
  }

  @Test func `that cannot be had fail with all their errors, without a request`() throws {
    let result = try place.run(
      "--recursive", "--ask-password", "--use-askpass=secret", "--jobz", "3", server.url("/b.txt"))
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errorText == """
        swiftget: '--recursive' is an option of wget, not of swiftget
        hint: swiftget does not follow links in pages; use -i LIST for a list of URLs
        swiftget: '--ask-password' is an option of wget, not of swiftget
        hint: use -u USER:PASSWORD, or --netrc, which is safer
        swiftget: '--use-askpass' is an option of wget, not of swiftget
        swiftget: unknown option '--jobz'
        hint: did you mean --jobs?

        """)
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }

  private func run(_ line: [String]) throws -> ProgramResult {
    try place.run(place.invocation(line.map { $0 == "URL" ? server.url("/a.bin") : $0 }))
  }
}
