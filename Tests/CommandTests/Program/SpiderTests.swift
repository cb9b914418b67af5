import TestSupport
import Testing

/// `--spider`.
@Suite(.waiting) struct `Asking servers` {
  private let place: Workplace
  private let server: ScriptedServer
  private let requests = Locked<[(line: String, authorization: String?)]>([])

  init() throws {
    place = try Workplace()
    let small = Content.text("0123456789")
    let files = FileService(["/a": small, "/busy": small, "/secret": small, "/big": mediumFile, "/get": mediumFile])
    let requests = requests
    server = try ScriptedServer { request in
      requests.withLock { $0.append(("\(request.method) \(request.path)", request.header("Authorization"))) }
      switch request.path {
      case "/gone": return [.respond(404)]
      case "/get": return request.method == "HEAD" ? [.respond(405)] : files.steps(for: request)
      case "/moved": return [.send(responseHead(302, [("Location", "/a"), ("Content-Length", "0")]))]
      case "/busy":
        let count = requests.withLock { $0.count { $0.line.hasSuffix("/busy") } }
        return count < 3 ? [.respond(503)] : files.steps(for: request)
      case "/secret":
        return request.header("Authorization") == nil ? [.respond(401)] : files.steps(for: request)
      default: return files.steps(for: request)
      }
    }
  }

  private func url(_ name: String) -> String { server.url("/\(name)") }

  private func asked(_ path: String) -> [String] {
    requests.withLock { $0.map(\.line).filter { $0.hasSuffix(" " + path) } }
  }

  @Test(arguments: [400, 403, 404, 405, 406, 410, 418, 501])
  func `asks with GET where HEAD is refused, and ends it at its head`(status: Int) throws {
    let files = FileService(["/a": mediumFile])
    let server = try ScriptedServer { $0.method == "HEAD" ? [.respond(status)] : files.steps(for: $0) }
    let result = try place.run("--spider", server.url("/a"))
    #expect(result.status == 0 && result.outputText.contains("ok: 6000001 bytes"), "\(result.told)")
    #expect(server.requests.map(\.method) == ["HEAD", "GET"])
  }

  @Test func `has a line for each URL, and writes nothing`() throws {
    let names = ["a", "big", "gone", "get", "moved", "busy", "secret"]
    try place.directory.write("list", names.map { url($0) + "\n out=new/\($0)\n" }.joined())
    let result = try place.run("--spider", "-i", "list", "-d", "t")
    #expect(result.status == 6, "\(result.told)")
    let lines = result.outputText.split(separator: "\n").map(String.init).sorted()
    func line(_ name: String) -> String {
      lines.first { $0.hasPrefix(url(name) + ": ") }.map { String($0.dropFirst(url(name).count + 2)) } ?? ""
    }
    #expect(lines.count == names.count, "\(lines)")
    #expect(line("a").hasPrefix("ok: 10 bytes, ETag \""), "\(lines)")
    #expect(line("big").hasPrefix("ok: 6000001 bytes, ETag \""), "\(lines)")
    #expect(
      line("gone").hasPrefix("dead: ") && line("gone").hasSuffix("404 Not Found (list:5)")
        || line("gone").contains("404"))
    #expect(line("get").hasPrefix("ok: 6000001 bytes"), "\(lines)")
    #expect(line("moved").hasPrefix("ok: 10 bytes") && line("moved").hasSuffix(", from \(url("a"))"), "\(lines)")
    #expect(line("busy").hasPrefix("ok: 10 bytes"), "\(lines)")
    #expect(line("secret").hasPrefix("dead: "), "\(lines)")
    #expect(result.errorText.contains("7 URLs asked, 2 dead"), "\(result.told)")
    #expect(asked("/get") == ["HEAD /get", "GET /get"] && asked("/gone") == ["HEAD /gone", "GET /gone"])
    #expect(asked("/busy") == ["HEAD /busy", "HEAD /busy", "HEAD /busy"] && asked("/big") == ["HEAD /big"])
    #expect(place.names == ["list"])
  }

  @Test func `has the dead ones in the log, too`() throws {
    try place.directory.write("list", "\(url("a"))\n\(url("gone?k=S3CR3T"))\n")
    let lines = try place.run("--spider", "-q", "-i", "list", "--log", "log")
    #expect(lines.status == 8, "\(lines.told)")
    let log = try place.text("log").split(separator: "\n")
    #expect(
      log.count == 3 && log[0].contains(" swiftget: \(url("gone?…")): dead: ") && log[0].hasSuffix("(list:2)"), "\(log)"
    )
    #expect(log[1].hasSuffix(" swiftget: 2 URLs asked, 1 dead") && log[2].hasSuffix("ends with status 8"), "\(log)")
    let objects = try place.run("--spider", "-i", "list", "--log", "json", "--log-format", "json")
    #expect(objects.status == 8, "\(objects.told)")
    let events = try place.text("json").split(separator: "\n")
    #expect(events.count == 3 && events[0].hasPrefix("{\"type\":\"url\",\"time\":\""), "\(events)")
    #expect(events[0].contains("\"outcome\":\"dead\"") && events[1].contains("1 dead"), "\(events)")
    let all = try place.run("--spider", "-v", "-i", "list", "--log", "all")
    #expect(try place.text("all").contains("\(url("a")): ok: 10 bytes"), "\(all.told)")
    for name in ["log", "json", "all"] { #expect(try !place.text(name).contains("S3CR3T")) }
  }

  @Test func `asks each mirror, and sends credentials to its origin only`() throws {
    let other = try ScriptedServer { _ in [.respond(404)] }
    let secret = url("secret").replacing("http://", with: "http://u:S3CR3T@")
    let result = try place.run("--spider", secret, "--mirror", other.url("/m"), "--mirror", url("a"))
    #expect(result.status == 8, "\(result.told)")
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == 3 && lines.contains { $0.hasPrefix("\(other.url("/m")): dead: ") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("\(url("secret")): ok: ") }, "\(lines)")
    #expect(!result.outputText.contains("S3CR3T") && !result.errorText.contains("S3CR3T"))
    #expect(place.names.isEmpty)
  }

  @Test func `has objects, tells wrong lengths, and takes shards and lines that are right`() throws {
    try place.directory.write("list.csv", "url,size\n\(url("a")),10\n\(url("big")),10\n")
    let result = try place.run("--spider", "--progress", "json", "-i", "list.csv")
    #expect(result.status == 9 && result.errorText.isEmpty, "\(result.told)")
    let lines = result.outputText.split(separator: "\n")
    let good = try #require(lines.first { $0.contains("\"url\":\"\(url("a"))\"") })
    #expect(good.contains("\"http_status\":200,\"outcome\":\"ok\",\"error\":null,\"size\":10,\"etag\":\""), "\(good)")
    let bad = try #require(lines.first { $0.contains("\"url\":\"\(url("big"))\"") })
    #expect(bad.contains("\"outcome\":\"dead\",\"error\":{\"code\":\"integrity\""), "\(bad)")
    try place.directory.write("list", "\(url("a"))\nnonsense\n")
    let going = try place.run("--spider", "-q", "--keep-going", "-i", "list")
    #expect(going.status == 2 && going.outputText.isEmpty, "\(going.told)")
    #expect(try place.run("--spider", "--check", url("a")).status == 2)
    #expect(try place.run("--spider", "--lock", "l", url("a")).status == 2)
    #expect(try place.run("--spider", "-i", url("none")).status == 8)
  }
}
