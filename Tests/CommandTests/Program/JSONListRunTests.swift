import TestSupport
import Testing

@Suite(.waiting) struct `Running JSON lists` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.generated(seed: 1, byteCount: 50_000)
  private static let b = Content.text("b\n")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.a, "/b": Self.b, "/data/b%20c": Self.b]))
  }

  @Test(arguments: [false, true])
  func `JSON Lines and documents of our own schema`(isDocument: Bool) throws {
    let refusing = try RefusingPort()
    let entries = [
      """
      {"url": ["\(refusing.url("/n"))", "\(server.url("/a"))"], "out": "sub/x", "size": 50000, \
      "checksum": {"sha256": "\(try Self.a.hexDigest())"}, "headers": {"X-Wanted": "yes"}}
      """, #"{"url": "\#(server.url("/b"))", "checksum": "md5:\#(try Self.b.hexDigest("md5"))"}"#,
    ]
    try place.directory.write(
      "list",
      isDocument
        ? "{\"version\": 1, \"files\": [\n\(entries.joined(separator: ",\n"))]}" : entries.joined(separator: "\n"))
    let result = try place.run("-i", "list")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("sub/x", Self.a) && place.holds("b", Self.b))
    #expect(result.errorText.contains("sha256 verified") && result.errorText.contains("md5 verified"))
    for request in server.requests { #expect(request.header("X-Wanted") == (request.path == "/a" ? "yes" : nil)) }
  }

  @Test func `pieces name the damaged piece`() throws {
    let good = try Self.a.hexDigest()
    let wrong = String(repeating: "0", count: 64)
    try place.directory.write(
      "list",
      #"{"url": "\#(server.url("/a"))", "pieces": {"algorithm": "sha256", "length": 50000, "hashes": ["\#(good)"]}}"#
        + "\n"
        + #"{"url": "\#(server.url("/b"))", "pieces": {"algorithm": "sha256", "length": 2, "hashes": ["\#(wrong)"]}}"#)
    let result = try place.run("-i", "list")
    #expect(result.status == 9, "\(result.told)")
    #expect(place.holds("a", Self.a) && !place.names.contains("b"))
  }

  @Test func `a data package and a registry are resolved against the base URL`() throws {
    try place.directory.write(
      "datapackage.json",
      """
      {"name": "p", "resources": [{"path": "data/b c", "bytes": 2, "hash": "\(try Self.b.hexDigest("md5"))"},
        {"path": "\(server.url("/a"))", "hash": "sha256:\(try Self.a.hexDigest())"}]}
      """)
    let bare = try place.run("-i", "datapackage.json")
    #expect(bare.status == 2 && bare.errorText.contains("--base-url"), "\(bare.told)")
    let result = try place.run("-i", "datapackage.json", "--base-url", server.url("/"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("data/b c", Self.b) && place.holds("a", Self.a))
    try place.directory.write(
      "registry.txt",
      "'data/b c' \(try Self.b.hexDigest())\nr/a md5:\(try Self.a.hexDigest("md5")) \(server.url("/a"))\n")
    let registry = try place.run("-d", "out", "-i", "registry.txt", "--base-url", server.url("/"))
    #expect(registry.status == 0, "\(registry.told)")
    #expect(place.holds("out/data/b c", Self.b) && place.holds("out/r/a", Self.a))
  }

  @Test func `paths lead into JSON of any form`() throws {
    try place.directory.write(
      "tree.json",
      """
      {"id": 7, "files": [{"key": "k/a", "checksum": "md5:\(try Self.a.hexDigest("md5"))",
        "links": {"self": "\(server.url("/a"))"}}]}
      """)
    let result = try place.run(
      "-i", "tree.json", "--columns", "url=files.links.self,out=files.key,md5=files.checksum")
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("k/a", Self.a) && result.errorText.contains("md5 verified"))
  }

  @Test(arguments: [
    (#""out": "../x""#, "contains '..'"), (#""out": "/etc/x""#, "begins with a slash"),
    (#""out": "\#(String(repeating: "n", count: 300))""#, "255 bytes"), (#""out": "a\u0000b""#, "NUL"),
    (#""out": "a\nb""#, "control character"), (#""size": 9223372036854775808"#, "2^63"), (#""size": -1"#, "'size'"),
    (#""size": 1.5"#, "'size'"), (#""sise": 1"#, "unknown key 'sise'"), (#""out": "a", "out": "b""#, "a key twice"),
  ])
  func `invalid entries are refused with file, line and reason`(member: String, reason: String) throws {
    try place.directory.write(
      "list", "{\"url\": \"\(server.url("/a"))\"}\n{\"url\": \"\(server.url("/b"))\", \(member)}\n")
    let result = try place.run("-i", "list")
    #expect(result.status == 2, "\(result.told)")
    #expect(result.errorText.contains("swiftget: list:2: ") && result.errorText.contains(reason), "\(result.errorText)")
    #expect(server.requests.isEmpty && place.names == ["list"])
  }
}
