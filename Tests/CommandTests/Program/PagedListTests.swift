import TestSupport
import Testing

/// Lists that servers divide into pages.
@Suite(.waiting) struct `Running lists in pages` {
  private let place: Workplace
  private static let names = ["a", "b", "c"]
  private static let columns = ["--columns", "url=items.u,size=items.s?,mirror=items.m"]

  init() throws { place = try Workplace() }

  /// Serves files, and other answers for targets with their queries.
  private func server(_ pages: @escaping @Sendable (String) -> [Step]?) throws -> ScriptedServer {
    let files = FileService(
      Dictionary(uniqueKeysWithValues: Self.names.map { ("/" + $0, Content.text("content of \($0)")) }))
    return try ScriptedServer { request in pages(request.target) ?? files.steps(for: request) }
  }

  private static func page(_ text: String, _ headers: [(String, String)] = []) -> [Step] {
    [.respond(200, headers: headers, body: Array(text.utf8))]
  }

  private func hasAll() -> Bool { Self.names.allSatisfy { place.holds($0, .text("content of \($0)")) } }

  @Test func `are read to the last page, with the credentials of the first one`() throws {
    let server = try server { target in
      switch target {
      case "/list": Self.page("{\"next\":\"?page=2\",\"items\":[{\"u\":\"a\",\"s\":12,\"m\":\"/a\"}]}")
      case "/list?page=2": Self.page("{\"items\":[{\"u\":\"b\"}],\"links\":{\"next\":\"/more/list?page=3\"}}")
      case "/more/list?page=3": Self.page("{\"items\":[{\"u\":\"../c\"}],\"next\":null}")
      default: nil
      }
    }
    let url = server.url("/list")
    let result = try place.run(
      place.invocation(["-u", "me:S3CR3T", "-v", "--lock", "lock", "-i", url] + Self.columns))
    #expect(result.status == 0 && hasAll() && !result.told.contains("S3CR3T"), "\(result.told)")
    #expect(server.requests.count >= 6 && server.requests.allSatisfy { $0.header("Authorization") != nil })
    #expect(try place.text("lock").split(separator: "\n").count == 3)
  }

  @Test func `may be empty, and are one list in what is told`() throws {
    let server = try server { target in
      switch target {
      case "/list": Self.page("{\"items\":[{\"u\":\"/a\"},{}],\"next\":\"?2\"}")
      case "/list?2": Self.page("{\"items\":[{}],\"next\":\"?3\"}")
      case "/list?3": Self.page("{\"items\":[],\"next\":\"\"}")
      default: nil
      }
    }
    let result = try place.run("-v", "-i", server.url("/list"), "--columns", "url=items.u?")
    #expect(result.status == 0 && place.names == ["a"], "\(result.told)")
    #expect(result.errorText.contains("/list: skipped 2 entries that are not files"), "\(result.told)")
    #expect(!result.errorText.contains("contains no files"), "\(result.told)")
  }

  @Test func `may be named by the answer`() throws {
    let server = try server { target in
      switch target {
      case "/list": Self.page("{\"url\":\"/a\"}\n{\"url\":\"/b\"}\n", [("Link", "</list?2>; rel=\"next\"")])
      case "/list?2": Self.page("{\"url\":\"/c\"}\n{\"url\":\"/a\"}\n")
      default: nil
      }
    }
    let result = try place.run("-i", server.url("/list"))
    #expect(result.status == 0 && hasAll(), "\(result.told)")
    #expect(server.requests.count { $0.target.hasPrefix("/list") } == 2)
  }

  @Test func `are not looked for on another server`() throws {
    let other = try server { _ in nil }
    for header in [false, true] {
      let next = other.url("/list")
      let first = try server { target in
        guard target == "/list" else { return nil }
        return Self.page(
          "{\"items\":[{\"u\":\"/a\"}]\(header ? "" : ",\"next\":\"\(next)\"")}",
          header ? [("Link", "<\(next)>; rel=next")] : [])
      }
      let result = try place.run(place.invocation(["-i", first.url("/list")] + ["--columns", "url=items.u"]))
      #expect(result.status == 2 && result.errorText.contains("on another server"), "\(result.told)")
      #expect(place.names.isEmpty && other.requests.isEmpty && first.requests.count == 1)
    }
  }

  @Test func `end, whatever the server says`() throws {
    let circle = try server { target in
      target.hasPrefix("/list")
        ? Self.page("{\"items\":[],\"next\":\"\(target == "/list" ? "/list?2" : "/list")\"}") : nil
    }
    let repeated = try place.run("-i", circle.url("/list"), "--columns", "url=items.u")
    #expect(repeated.status == 2 && repeated.errorText.contains("one that was read"), "\(repeated.told)")
    #expect(circle.requests.count == 2)
    let endless = try server { target in
      guard target.hasPrefix("/list") else { return nil }
      return Self.page("{\"items\":[],\"next\":\"/list?\((Int(target.dropFirst(6)) ?? 0) + 1)\"}")
    }
    let result = try place.run("-i", endless.url("/list"), "--columns", "url=items.u")
    #expect(result.status == 2 && result.errorText.contains("more than 200 pages"), "\(result.told)")
    #expect(endless.requests.count == 200)
  }

  @Test func `fail as a whole where one of them does`() throws {
    let server = try server { target in
      target == "/list" ? Self.page("{\"items\":[{\"u\":\"/a\"}],\"next\":\"/list?2\"}") : nil
    }
    let result = try place.run("-t", "1", "-i", server.url("/list"), "--columns", "url=items.u")
    #expect(result.status == 8 && place.names.isEmpty, "\(result.told)")
  }
}
