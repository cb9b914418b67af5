import SwiftGet
import TestSupport
import Testing

/// Lists in the library.
@Suite(.waiting) struct `Lists` {
  private let a = Content.generated(seed: 91, byteCount: 3000)
  private let b = Content.generated(seed: 92, byteCount: 4000)

  private func sums(_ lines: [(Content, String)]) throws -> String {
    try lines.map { content, name in "\(try content.hexDigest())  \(name)\n" }.joined()
  }

  @Test func `a list of checksums is fetched, verified and named as the command does`() async throws {
    let rig = try SessionRig(["/v1/a": a, "/v1/d/b": b])
    var list = DownloadList(Array(try sums([(a, "a"), (b, "d/b")]).utf8), named: "SHA256SUMS")
    list.baseURL = rig.server.url("/v1/")
    list.change = { $0.group = "listed" }
    let added = try await rig.session.add(list)
    #expect(added.failures.isEmpty)
    let files = try await added.files()
    #expect(files.map(\.path) == ["a", "d/b"].map(rig.target.path))
    #expect(files.allSatisfy { $0.verified?.source == .given })
    #expect(try await rig.session.group("listed").tasks().count == 2)
  }

  @Test func `a wrong entry is an error with its line, and the others are fetched`() async throws {
    let rig = try SessionRig(["/a": a, "/b": b])
    let text = "\(rig.server.url("/a"))\nftp://127.0.0.1/x\n\(rig.server.url("/b"))\n\(rig.server.url("/a"))\n"
    try rig.target.write("list", text)
    let added = try await rig.session.add(DownloadList(contentsOf: rig.target.path("list")))
    #expect(added.failures.map(\.index) == [1] && added.failures.first?.error.code == .invalidRequest)
    #expect(added.failures.first?.error.message.contains("list:2") == true, "\(added.failures)")
    #expect(added.tasks.count == 2)
    let failures = try #require(await thrown { try await added.files() } as? DownloadFailures)
    #expect(failures.files.map(\.size) == [3000, 4000] && failures.errors.count == 1)
    guard case .failure? = failures.results.dropFirst().first else { throw Absent() }
  }

  @Test func `names choose the wanted entries, and names outside are refused unless they are allowed`() async throws {
    let directory = try TemporaryDirectory()
    let text = "http://127.0.0.1/a\n dir=/elsewhere\nhttp://127.0.0.1/b.txt\n"
    var list = DownloadList(Array(text.utf8), into: directory.path)
    list.format = .aria2
    let strict = try await list.contents()
    #expect(strict.requests.map(\.name) == ["b.txt"] && strict.failures.map(\.index) == [0])
    list.allowsAbsolutePaths = true
    list.excludes = ["*.txt"]
    let open = try await list.contents()
    #expect(open.requests.map(\.directory) == ["/elsewhere/"] && open.failures.isEmpty)
  }

  @Test func `errors name properties of the list, and no options`() async throws {
    var list = DownloadList(Array("\(String(repeating: "a", count: 64))  a\n".utf8))
    list.baseURL = "https://h/#md5=\(String(repeating: "a", count: 32))"
    let error = try #require(await thrown { try await list.contents() } as? DownloadError)
    #expect(error.message == "baseURL: a checksum after '#' is not allowed here")
    list.baseURL = "https:///"
    let other = try #require(await thrown { try await list.contents() } as? DownloadError)
    #expect(other.message.hasPrefix("baseURL https:///: "), "\(other)")
  }

  @Test func `JSON of any shape, tables with blanks and Debian indexes are lists`() async throws {
    let sha = try a.hexDigest()
    var json = DownloadList(Array(#"{"p":{"x.deb":{"sha256":"\#(sha)"},"y.deb":{"sha256":"\#(sha)","old":1}}}"#.utf8))
    json.columns = "sha256=p.*.sha256,p.*.old="
    json.urlTemplate = "https://h/{key}"
    let found = try await json.contents()
    #expect(found.requests.map(\.name) == ["x.deb"] && found.failures.isEmpty)
    json.columns = "url=p.*.u"
    #expect(await code { try await json.contents() } == .invalidRequest)
    json.columns = "p"
    #expect(await code { try await json.contents() } == .invalidRequest)
    var table = DownloadList(Array("ftp://h/a 'b c'\n".utf8))
    table.format = .fields
    table.columns = "url=1,out=2"
    table.urlScheme = "https"
    #expect(try await table.contents().requests.map(\.name) == ["b c"])
    table.urlScheme = "ftp"
    #expect(await code { try await table.contents() } == .invalidRequest)
    var index = DownloadList(Array("Package: a\nFilename: pool/a.deb\nSHA256: \(sha)\n".utf8))
    index.baseURL = "https://h/debian/"
    #expect(try await index.contents().requests.map(\.name) == ["pool/a.deb"])
  }

  @Test func `columns and base names name files, as in the command`() async throws {
    var sums = DownloadList(Array(try sums([(a, "/build/out/a"), (b, "x\\b")]).utf8), named: "SHA256SUMS")
    sums.baseURL = "https://h/v1/"
    #expect(try await sums.contents().failures.count == 1)
    sums.takesBaseNames = true
    let found = try await sums.contents()
    #expect(found.requests.map(\.name) == ["a", "b"] && found.failures.isEmpty)
    #expect(found.requests.map(\.urls) == [["https://h/v1/a"], ["https://h/v1/b"]])
    var table = DownloadList(Array("id\tfilename\tmd5\tsize\tstate\n1\ta.bam\t\t\t\n2\ta.bam\t\t\t\n".utf8))
    table.urlTemplate = "https://h/{id}"
    table.nameTemplate = "{id}/{filename}"
    #expect(try await table.contents().requests.map(\.name) == ["1/a.bam", "2/a.bam"])
    for template in ["{", "same"] {
      table.nameTemplate = template
      #expect(await code { try await table.contents() } == .invalidRequest)
    }
    table.nameTemplate = "{id}"
    table.strippedComponents = 1
    #expect(await code { try await table.contents() } == .invalidRequest)
  }

  @Test func `of a Metalink only what is wanted is read, and the nearest mirror first`() async throws {
    func file(_ name: String, _ tags: String) -> String {
      "<file name=\"\(name)\">\(tags)<url location=\"fr\">https://fr/\(name)</url>"
        + "<url location=\"de\">https://de/\(name)</url></file>"
    }
    let files =
      file("a", "<language>en</language>") + file("b", "<language>de</language>") + file("c", "<os>Windows</os>")
    var list = DownloadList(Array("<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>".utf8))
    #expect(try await list.contents().requests.map(\.urls.first) == ["https://fr/a", "https://fr/b", "https://fr/c"])
    list.languages = ["de"]
    list.systems = ["Linux"]
    list.locations = ["de"]
    #expect(try await list.contents().requests.map(\.urls.first) == ["https://de/b"])
  }

  @Test func `a list needs a signature by one of the keys`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("SHA256SUMS", SignatureSamples.list)
    try directory.write("signature", SignatureSamples.Minisign.signature)
    var list = DownloadList(contentsOf: directory.path("SHA256SUMS"))
    list.baseURL = "https://h/"
    list.verificationKeys = [SignatureSamples.Minisign.keyLine]
    #expect(await code { try await list.contents() } == .invalidRequest)
    list.signature = directory.path("signature")
    #expect(try await list.contents().requests.map(\.name) == ["a", "b"])
    list.verificationKeys = [SignatureSamples.Minisign.otherKeyLine]
    #expect(await code { try await list.contents() } == .invalidRequest)
    // An empty set of keys asks for none.
    list.verificationKeys = []
    #expect(try await list.contents().requests.count == 2)
  }

  @Test func `what is no list is an error of the call`() async throws {
    let missing = DownloadList(contentsOf: "/nonexistent/list")
    #expect(await code { try await missing.contents() } == .invalidRequest)
    var names = DownloadList(Array("0123456789abcdef0123456789abcdef  a\n".utf8), named: "MD5SUMS")
    names.format = .checksums
    #expect(try await names.contents().failures.map(\.error.code) == [.invalidRequest])
  }

  private struct Absent: Error {}
}
