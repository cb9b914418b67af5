import TestSupport
import Testing

/// `--compressed` with a server that compresses what was asked for as it is.
@Suite(.waiting) struct `A compressed answer` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer { request in
      let coding = request.path.hasPrefix("/plain") ? [] : [("Content-Encoding", "gzip")]
      return [.send(responseHead(200, [("Content-Length", "5")] + coding)), .send(Array("bytes".utf8))]
    }
  }

  @Test func `fails with a hint under --compressed, unless the name is that of compressed files`() throws {
    let result = try place.run(
      "--compressed", "-d", "d", server.url("/a.csv"), server.url("/b.gz"), server.url("/plain.txt"))
    #expect(
      result.status == 7 && result.errorText.contains("gzip") && result.errorText.contains("hint: "), "\(result.told)")
    #expect(place.directory.names(in: "d").sorted() == ["b.gz", "plain.txt"])
    #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == "identity" })
    #expect(server.requests.count == 3)
    let named = try place.run("--compressed", "-o", "a.csv.gz", server.url("/a.csv"))
    #expect(named.status == 0, "\(named.told)")
  }

  @Test func `is stored as it is without the option`() throws {
    let result = try place.run("-d", "d", server.url("/a.csv"))
    #expect(result.status == 0 && place.directory.names(in: "d") == ["a.csv"], "\(result.told)")
  }
}
