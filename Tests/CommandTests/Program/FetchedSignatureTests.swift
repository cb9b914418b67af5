import TestSupport
import Testing

/// Signatures that are downloaded, of lists from URLs above all.
@Suite(.waiting) struct `A signature from a URL` {
  private let place: Workplace
  private static let a = Content.text("content of a")
  private static let b = Content.text("content of b")
  private static let files: [String: Content] = [
    "/dir/a": a, "/dir/b": b, "/dir/SHA256SUMS": .text(SignatureSamples.list),
  ]

  init() throws {
    place = try Workplace()
    try place.directory.write("minisign.pub", SignatureSamples.Minisign.key)
    try place.directory.write("signify.pub", SignatureSamples.Signify.key)
    try place.directory.write("key.asc", OpenPGPSamples.key)
  }

  private func server(
    _ more: [String: String], _ configure: (inout FileService.Behaviour) -> Void = { _ in }
  ) throws -> ScriptedServer {
    let more = more.mapValues { Content.text($0) }
    return try ScriptedServer(FileService(Self.files.merging(more) { _, more in more }, configure))
  }

  private func expectDownload(_ result: ProgramResult, _ directory: String = "out", _ comment: Comment? = nil) {
    #expect(result.status == 0, "\(comment ?? "") \(result.told)")
    #expect(place.holds("\(directory)/a", Self.a) && place.holds("\(directory)/b", Self.b), comment)
  }

  /// - Parameter asked: the paths of all requests.
  private func expectRefusal(
    _ result: ProgramResult, status: Int32 = 2, _ words: String..., of server: ScriptedServer, asked: [String]
  ) {
    #expect(result.status == status && !place.names.contains("out"), "\(result.told)")
    for word in words { #expect(result.errorText.contains(word), "\(word) in \(result.told)") }
    #expect(server.requests.map(\.path) == asked, "\(result.told)")
  }

  // MARK: Where it is found

  @Test(
    arguments: [
      ("minisign.pub", ".minisig", SignatureSamples.Minisign.signature, []),
      ("signify.pub", ".sig", SignatureSamples.Signify.signature, [".minisig"]),
      ("key.asc", ".asc", OpenPGPSamples.signature, []), ("key.asc", ".gpg", OpenPGPSamples.signature, [".asc"]),
      ("key.asc", ".sign", OpenPGPSamples.signature, [".asc", ".gpg", ".sig"]),
    ] as [(String, String, String, [String])])
  func `is looked for beside the list, one name after the other`(
    key: String, ending: String, signature: String, before: [String]
  ) throws {
    let server = try server(["/dir/SHA256SUMS\(ending)": signature])
    let result = try place.run(
      "-v", "-d", "out", "-i", server.url("/dir/SHA256SUMS?version=1"), "--verify-signature", key)
    expectDownload(result)
    let lookups = (before + [ending]).map { "/dir/SHA256SUMS\($0)" }
    #expect(server.requests.prefix(before.count + 2).map(\.target) == ["/dir/SHA256SUMS?version=1"] + lookups)
    #expect(result.errorText.contains("downloaded the signature \(server.url("/dir/SHA256SUMS"))\(ending), "))
    #expect(result.errorText.contains("the list \(server.url("/dir/SHA256SUMS")) is signed by key "))
  }

  @Test func `in the list needs no other`() throws {
    let server = try server([
      "/dir/SHA256SUMS": SignatureSamples.Signify.signedList, "/dir/CHECKSUM": OpenPGPSamples.signedList,
    ])
    for (name, key) in [("SHA256SUMS", "signify.pub"), ("CHECKSUM", "key.asc")] {
      let result = try place.run("-d", name, "-i", server.url("/dir/\(name)"), "--verify-signature", key)
      expectDownload(result, name)
    }
    #expect(server.requests.count == 6, "\(server.requests.map(\.path))")
  }

  @Test func `of another kind than the keys is passed over, a wrong one is not`() throws {
    let passed = try server([
      "/dir/SHA256SUMS.minisig": OpenPGPSamples.signature, "/dir/SHA256SUMS.sig": SignatureSamples.Signify.signature,
    ])
    expectDownload(
      try place.run("-d", "both", "-i", passed.url("/dir/SHA256SUMS"), "--verify-signature", "signify.pub"), "both")
    let page = try server([
      "/dir/SHA256SUMS.minisig": "<html>", "/dir/SHA256SUMS.sig": SignatureSamples.Signify.signature,
    ])
    expectRefusal(
      try place.run("-d", "out", "-i", page.url("/dir/SHA256SUMS"), "--verify-signature", "signify.pub"),
      "\(page.url("/dir/SHA256SUMS.minisig")): not a signature", of: page,
      asked: ["/dir/SHA256SUMS", "/dir/SHA256SUMS.minisig"])
  }

  @Test func `is looked for beside the given URL, then beside the one where the list was found`() throws {
    let found = try server(["/dir/SHA256SUMS.minisig": SignatureSamples.Minisign.signature])
    let redirecting = try server([:]) { $0.redirects = ["/latest": found.url("/dir/SHA256SUMS?key=1")] }
    expectDownload(
      try place.run("-d", "one", "-i", redirecting.url("/latest"), "--verify-signature", "minisign.pub"), "one")
    #expect(redirecting.requests.map(\.path) == ["/latest", "/latest.minisig", "/latest.sig"])
    #expect(found.requests.prefix(2).map(\.target) == ["/dir/SHA256SUMS?key=1", "/dir/SHA256SUMS.minisig"])

    // A server that redirects each file to a place of its own.
    let elsewhere = try server(["/x7f3": SignatureSamples.Minisign.signature])
    let other = try server([:]) {
      $0.redirects = ["/rel/SUMS": elsewhere.url("/dir/SHA256SUMS"), "/rel/SUMS.minisig": elsewhere.url("/x7f3")]
    }
    expectDownload(
      try place.run("-d", "two", "-i", other.url("/rel/SUMS"), "--verify-signature", "minisign.pub"), "two")
    #expect(other.requests.map(\.path) == ["/rel/SUMS", "/rel/SUMS.minisig"])
    #expect(elsewhere.requests.prefix(2).map(\.path) == ["/dir/SHA256SUMS", "/x7f3"])
  }

  @Test func `of each of several lists is found`() throws {
    let server = try server([
      "/dir/SHA256SUMS.sig": SignatureSamples.Signify.signature, "/dir/SUMS": SignatureSamples.list,
      "/dir/SUMS.minisig": SignatureSamples.Minisign.signature,
    ])
    try place.directory.write("local", SignatureSamples.list)
    try place.directory.write("local.minisig", SignatureSamples.Minisign.signature)
    var arguments = ["-d", "out", "--verify-signature", "minisign.pub", "--verify-signature", "signify.pub"]
    for list in [server.url("/dir/SHA256SUMS"), "local", server.url("/dir/SUMS")] { arguments += ["-i", list] }
    expectDownload(try place.run(place.invocation(arguments + ["--base-url", server.url("/dir")])))
  }

  @Test func `nginx serves it`() throws {
    let server = try RealServer.nginx()
    try server.serve("dir/a", Self.a)
    try server.serve("dir/b", Self.b)
    try server.serve("dir/SHA256SUMS", .text(SignatureSamples.list))
    try server.serve("dir/SHA256SUMS.sig", .text(SignatureSamples.Signify.signature))
    let result = try place.run(
      "-d", "out", "-i", server.url("/dir/SHA256SUMS"), "--verify-signature", "signify.pub")
    expectDownload(result)
    #expect(try server.requests().prefix(3).map(\.status) == [200, 404, 200])
  }

  // MARK: Faults

  @Test func `that is nowhere is told with all names`() throws {
    let server = try server([:])
    let list = server.url("/dir/SHA256SUMS")
    expectRefusal(
      try place.run("-d", "out", "-i", "\(list)?key=S3CR3T", "--verify-signature", "minisign.pub"),
      "the list \(list) is not signed: neither \(list).minisig nor \(list).sig exists", "--signature FILE",
      of: server, asked: ["/dir/SHA256SUMS", "/dir/SHA256SUMS.minisig", "/dir/SHA256SUMS.sig"])
  }

  @Test(
    arguments: [(403, 8, "403 Forbidden"), (401, 6, "401 Unauthorized"), (500, 4, "500")] as [(Int, Int32, String)])
  func `that cannot be downloaded is not looked for further`(answer: Int, status: Int32, words: String) throws {
    let files = FileService(
      Self.files.merging(["/dir/SHA256SUMS.sig": .text(SignatureSamples.Signify.signature)]) { old, _ in old })
    let server = try ScriptedServer { request in
      request.path.hasSuffix(".minisig") ? [.respond(answer)] : files.steps(for: request)
    }
    let list = server.url("/dir/SHA256SUMS")
    let result = try place.run("-t", "1", "-d", "out", "-i", list, "--verify-signature", "signify.pub")
    expectRefusal(
      result, status: status, "cannot download the signature \(list).minisig: the server returned \(words)",
      of: server, asked: ["/dir/SHA256SUMS", "/dir/SHA256SUMS.minisig"])
  }

  @Test func `by another key, of another list, too long, or coded is refused`() throws {
    func refused(
      _ signature: [UInt8], _ words: String, headers: [(name: String, value: String)] = [], status: Int32 = 2
    ) throws {
      let files = FileService(Self.files)
      let server = try ScriptedServer { request in
        request.path.hasSuffix(".minisig")
          ? [.respond(200, headers: headers, body: signature)] : files.steps(for: request)
      }
      expectRefusal(
        try place.run("-d", "out", "-i", server.url("/dir/SHA256SUMS"), "--verify-signature", "minisign.pub"),
        status: status, words, of: server, asked: ["/dir/SHA256SUMS", "/dir/SHA256SUMS.minisig"])
    }
    let good = Array(SignatureSamples.Minisign.signature.utf8)
    try refused(Array(SignatureSamples.Minisign.signatureOfNothing.utf8), "does not match the list")
    try refused(Array(SignatureSamples.Signify.signature.utf8), "SHA256SUMS.minisig: ")
    try refused(
      [UInt8](repeating: 10, count: (1 << 20) + 1), "SHA256SUMS.minisig: it is larger than 1.0 MiB")
    try refused(good, "Content-Encoding gzip", headers: [("Content-Encoding", "gzip")], status: 7)
    try refused([], "SHA256SUMS.minisig: not a signature")
  }

  /// What is verified is what is used, whatever the server sends later.
  @Test func `is of the list as it was downloaded`() throws {
    let files = FileService(
      Self.files.merging(["/dir/SHA256SUMS.minisig": .text(SignatureSamples.Minisign.signature)]) { old, _ in old })
    let hasServed = Locked(false)
    let server = try ScriptedServer { request in
      let isFirst = hasServed.withLock { hasServed in
        defer { hasServed = hasServed || request.path == "/dir/SHA256SUMS" }
        return !hasServed
      }
      if request.path == "/dir/SHA256SUMS", !isFirst { return [.respond(200, body: Array("evil\n".utf8))] }
      return files.steps(for: request)
    }
    expectDownload(
      try place.run("-d", "out", "-i", server.url("/dir/SHA256SUMS"), "--verify-signature", "minisign.pub"))
    #expect(server.requests.count { $0.path == "/dir/SHA256SUMS" } == 1)
  }

  // MARK: Credentials

  @Test func `gets the credentials of its origin only`() throws {
    let other = try server(["/dir/SHA256SUMS.minisig": SignatureSamples.Minisign.signature])
    let named = try server([:]) { $0.redirects = ["/latest": other.url("/dir/SHA256SUMS")] }
    let url = "http://name:S3CR3T@127.0.0.1:\(named.port)/latest"
    let result = try place.run(
      "-v", "-d", "out", "-H", "X-Key: S3CR3T", "-i", url, "--verify-signature", "minisign.pub")
    expectDownload(result)
    #expect(named.requests.map(\.path) == ["/latest", "/latest.minisig", "/latest.sig"])
    for request in named.requests {
      #expect(request.header("Authorization") == "Basic bmFtZTpTM0NSM1Q=" && request.header("X-Key") == "S3CR3T")
    }
    for request in other.requests {
      #expect(request.header("Authorization") == nil && request.header("X-Key") == nil)
    }
    #expect(!result.errorText.contains("S3CR3T"))
  }

  // MARK: --signature

  @Test func `may be named, for a list from a URL, a file or standard input`() throws {
    let server = try server(["/keys/x": SignatureSamples.Minisign.signature])
    try place.directory.write("SHA256SUMS", SignatureSamples.list)
    let arguments = [
      "--verify-signature", "minisign.pub", "--signature", server.url("/keys/x?key=1"), "--base-url",
      server.url("/dir"),
    ]
    for (list, directory) in [(server.url("/dir/SHA256SUMS"), "url"), ("SHA256SUMS", "file"), ("-", "input")] {
      var invocation = try place.invocation(arguments + ["-i", list, "-d", directory])
      if list == "-" { invocation.input = Array(SignatureSamples.list.utf8) }
      expectDownload(try place.run(invocation), directory)
    }
    #expect(server.requests.count { $0.target == "/keys/x?key=1" } == 3)
    #expect(server.requests.allSatisfy { !$0.path.contains("SHA256SUMS.") })
  }

  @Test func `that is named and not there ends the run`() throws {
    let server = try server(["/dir/SHA256SUMS.minisig": SignatureSamples.Minisign.signature])
    let result = try place.run(
      "-d", "out", "-i", server.url("/dir/SHA256SUMS"), "--verify-signature", "minisign.pub", "--signature",
      server.url("/keys/x?key=S3CR3T"))
    expectRefusal(
      result, status: 8, "cannot download the signature \(server.url("/keys/x")): the server returned 404",
      of: server, asked: ["/dir/SHA256SUMS", "/keys/x"])
    #expect(!result.errorText.contains("S3CR3T"))
    let scheme = try place.run(
      "-i", server.url("/dir/SHA256SUMS"), "--verify-signature", "minisign.pub", "--signature", "ftp://h/x")
    #expect(scheme.status == 2 && scheme.errorText.contains("--signature ftp://h/x: "), "\(scheme.told)")
    let check = try place.run(
      "--check", "-i", "SHA256SUMS", "--verify-signature", "minisign.pub", "--signature",
      server.url("/x?key=S3CR3T"))
    #expect(check.status == 2 && check.errorText.contains("--check reads no signature from a URL"), "\(check.told)")
    #expect(!check.errorText.contains("S3CR3T") && server.requests.count == 2)
  }
}
