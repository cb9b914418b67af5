import TestSupport
import Testing

/// A digest in a URL verifies the file or is refused. It is never ignored.
@Suite(.waiting) struct `A digest in a URL` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let content = Content.text("content")
  private static let wrong = String(repeating: "0", count: 64)

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/f": Self.content, "/g": Self.content]))
  }

  private func sha256() throws -> String { try Self.content.hexDigest() }
  /// What `openssl dgst -sha256 -binary | base64` writes.
  private func base64() throws -> String { "7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=" }
  private func md5() throws -> String { try Self.content.hexDigest("md5") }

  /// On the command line and in a list.
  private func runs(_ url: String) throws -> [ProgramResult] {
    try place.directory.write("list", url + "\n")
    return [try place.run("-d", "one", url), try place.run("-d", "two", "-i", "list")]
  }

  @Test(arguments: [
    "#sha256=SHA256", "#SHA256=SHA256", "#sha-256=SHA256", "#sha256:SHA256", "#egg=x&sha256=SHA256",
    "#sha256=SHA256&subdirectory=y", "#sha256=UPPER", "#a&b=c&sha256=SHA256&md5=MD5", "#SHA256",
    "#sha256=SHA256&sha256=UPPER", "#sha256-BASE64", "#sha256=BASE64", "#sha256-UNPADDED", "#SHA2-256:SHA256",
  ])
  func `verifies the file`(fragment: String) throws {
    let fragment = fragment.replacing("=SHA256", with: "=" + (try sha256())).replacing(
      ":SHA256", with: ":" + (try sha256())
    )
    .replacing("UPPER", with: try sha256().uppercased()).replacing("=MD5", with: "=" + (try md5()))
    .replacing("BASE64", with: try base64()).replacing("UNPADDED", with: try base64().replacing("=", with: ""))
    let bare = fragment == "#SHA256" ? "#" + (try sha256()) : fragment
    for result in try runs(server.url("/f") + bare) {
      #expect(result.status == 0 && result.errorText.contains("sha256 verified"), "\(result.told)")
    }
  }

  @Test func `may be a bare MD5, as in a lock file of conda`() throws {
    for result in try runs(server.url("/f") + "#" + md5()) {
      #expect(result.status == 0 && result.errorText.contains("md5 verified"), "\(result.told)")
    }
    for result in try runs(server.url("/g") + "#" + String(repeating: "0", count: 32)) {
      #expect(result.status == 9, "\(result.told)")
    }
  }

  @Test(arguments: [
    "#sha256=WRONG", "#egg=x&sha256=WRONG", "#sha-256=WRONG", "#SHA256=WRONG", "#sha256:WRONG",
    "#sha256-\(String(repeating: "A", count: 43))=", "#sha256=\(String(repeating: "A", count: 43))",
  ])
  func `refuses another file`(fragment: String) throws {
    for result in try runs(server.url("/f") + fragment.replacing("WRONG", with: Self.wrong)) {
      #expect(result.status == 9, "\(result.told)")
    }
    #expect(place.directory.names(in: "one") == ["f.swiftget-bad"])
  }

  @Test(arguments: [
    "#sha256=", "#sha256=\(wrong.dropLast())", "#sha256=\(wrong)0", "#sha256=\(wrong.dropLast())x", "#md5=\(wrong)",
    "#egg=x&sha256=12", "#sha256=12&egg=x", "#SHA-256=12", "#sha256:12",
    "#sha256-\(String(repeating: "A", count: 42))==", "#sha512-\(String(repeating: "A", count: 43))=",
    "#blake3=\(wrong)", "#x#sha256=\(wrong)x",
    "#sha256=\(wrong)&sha256=\(wrong.dropLast())1",
  ])
  func `that is invalid or contradictory is refused`(fragment: String) throws {
    let isNested = fragment.hasPrefix("#x#")
    for result in try runs(server.url("/f") + fragment) {
      // A fragment begins at the first `#`. Parts that are no digests are dropped.
      #expect(result.status == (isNested ? 0 : 2), "\(fragment) \(result.told)")
    }
    #expect(server.requests.isEmpty != isNested)
  }

  @Test(arguments: ["#section", "#egg=x", "#", "#a=b&c", "#0123456789abcdef", "#/route?x=1", "#sha256-checksums"])
  func `is not found in another fragment`(fragment: String) throws {
    for result in try runs(server.url("/f") + fragment) {
      #expect(result.status == 0 && !result.errorText.contains("verified"), "\(result.told)")
    }
  }

  @Test func `counts in a mirror's URL`() throws {
    let right = try place.run("--mirror", server.url("/g") + "#sha256=" + sha256(), server.url("/f"))
    #expect(right.status == 0 && right.errorText.contains("sha256 verified"), "\(right.told)")
    let wrong = try place.run("-d", "d", "--mirror", server.url("/g") + "#sha256=" + Self.wrong, server.url("/f"))
    #expect(wrong.status == 9, "\(wrong.told)")
    let refused = try place.run("--mirror", server.url("/g") + "#sha256=12", server.url("/f"))
    #expect(refused.status == 2 && refused.errorText.contains("--mirror"), "\(refused.told)")
  }

  @Test func `that contradicts another one is refused`() throws {
    let (url, digest) = (server.url("/f"), try sha256())
    let md5 = try md5()
    for arguments in [
      ["--checksum", "sha256:\(Self.wrong)", "\(url)#sha256=\(digest)"],
      ["--checksum", "sha256:\(Self.wrong)", "--checksum", "sha256:\(digest)", url],
      ["--mirror", "\(server.url("/g"))#sha256=\(Self.wrong)", "\(url)#sha256=\(digest)"],
      ["--mirror", "\(server.url("/g"))#\(Self.wrong)", "--checksum", "sha-256=\(digest)", url],
    ] {
      let result = try place.run(place.invocation(arguments))
      #expect(result.status == 2 && result.errorText.contains("sha256"), "\(arguments) \(result.told)")
    }
    for list in [
      "\(url)#sha256=\(digest)\n  checksum=sha-256=\(Self.wrong)\n",
      "\(url)#sha256=\(digest)\t\(server.url("/g"))#sha256=\(Self.wrong)\n", "\(digest)  \(url)#sha256=\(Self.wrong)\n",
    ] {
      try place.directory.write("list", list)
      let result = try place.run("-i", "list")
      #expect(result.status == 2 && result.errorText.contains("sha256"), "\(list) \(result.told)")
    }
    #expect(server.requests.isEmpty && place.names == ["list"])
    // An equal digest, or one of another algorithm, is no contradiction.
    let both = try place.run(
      "--checksum", "md5:\(md5)", "--checksum", "sha256:\(digest)", "--checksum", "sha-256=\(digest.uppercased())",
      "\(url)#sha256=\(digest)")
    #expect(both.status == 0 && both.errorText.contains("sha256 verified"), "\(both.told)")
    let one = try place.run(
      "-d", "d", "--checksum", "sha256:\(digest)", "\(url)#md5=\(String(repeating: "0", count: 32))")
    #expect(one.status == 9, "\(one.told)")
  }

  @Test func `in a checksum list's URL counts and is not sent to the server`() throws {
    try place.directory.write("SUMS", "\(try md5())  \(server.url("/f"))#sha256=\(try sha256())\n")
    let result = try place.run("-i", "SUMS")
    #expect(result.status == 0 && result.errorText.contains("sha256 verified"), "\(result.told)")
  }

  @Test func `is refused in a base URL`() throws {
    try place.directory.write("SUMS", "\(try md5())  f\n")
    let result = try place.run("-i", "SUMS", "--base-url", server.url("/") + "#sha256=" + sha256())
    #expect(result.status == 2 && result.errorText.contains("--base-url"), "\(result.told)")
    #expect(server.requests.isEmpty)
  }
}
