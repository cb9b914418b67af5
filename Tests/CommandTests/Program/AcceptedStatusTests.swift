import TestSupport
import Testing

/// Statuses that the user takes for those of a whole file, by `--accept-status`.
@Suite(.waiting) struct `A status that is accepted` {
  private let place: Workplace
  private let content = Content.generated(seed: 41, byteCount: 3_000_000)

  init() throws { place = try Workplace() }

  private func server(_ status: Int) throws -> ScriptedServer {
    let body = content.allBytes
    return try ScriptedServer { _ in [.respond(status, body: body)] }
  }

  @Test(arguments: [201, 202, 226])
  func `is that of a whole file, and of none without the option`(status: Int) throws {
    let server = try server(status)
    let refused = try place.run(server.url("/f"))
    #expect(refused.status == 7 && place.names.isEmpty, "\(refused.told)")
    #expect(refused.errorText.contains("--accept-status \(status)"), "\(refused.told)")
    let taken = try place.run("--accept-status", "201,202,226", server.url("/f"))
    #expect(taken.status == 0 && place.holds("f", content) && place.names == ["f"], "\(taken.told)")
  }

  @Test func `does not make another one a file`() throws {
    for status in [203, 206, 404, 500] {
      let server = try server(status)
      let result = try place.run("--accept-status", "201", "-t", "1", "-o", "\(status)", server.url("/f"))
      #expect((result.status == 0) == (status == 203) && !server.requests.isEmpty, "\(result.told)")
    }
    #expect(place.names == ["203"])
  }

  @Test(arguments: ["200-299", "204", "205", "206", "301", "404", "2", "ok", "201,500", ","])
  func `is a number from 200 to 299 that can have a whole file`(list: String) throws {
    let result = try place.run("--accept-status", list, "http://127.0.0.1:1/f")
    #expect(result.status == 2 && result.errorText.contains("--accept-status"), "\(result.told)")
  }
}
