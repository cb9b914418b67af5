import TestSupport
import Testing

/// Lists as archives and tools publish them, downloaded.
@Suite(.waiting) struct `Running lists as they are published` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.generated(seed: 1, byteCount: 50_000)
  private static let b = Content.text("b\n")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/r/a.conda": Self.a, "/r/b.conda": Self.b, "/r/pool/b.deb": Self.b]))
  }

  @Test func `packages of a JSON index are named by their keys, and others are passed over and counted`() throws {
    try place.directory.write(
      "repodata.json",
      """
      {"info":{"subdir":"r"},"packages":{"a.conda":{"sha256":"\(try Self.a.hexDigest())","size":50000,"subdir":"r"},
      "b.conda":{"sha256":"\(try Self.a.hexDigest())","size":2,"subdir":"s"}}}
      """)
    let columns = "url={key},sha256=packages.*.sha256,size=packages.*.size,packages.*.subdir=r"
    let base = server.url("/r/")
    let result = try place.run("-v", "-i", "repodata.json", "--base-url", base, "--columns", columns)
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("a.conda", Self.a) && !place.names.contains("b.conda"))
    #expect(result.errorText.contains("repodata.json: skipped 1 entry that is not a file"), "\(result.told)")
    let again = try place.run("-i", "repodata.json", "--base-url", base, "--columns", columns)
    #expect(again.status == 0 && !again.errorText.contains("skipped"), "\(again.told)")
    let wrong = try place.run(
      "-i", "repodata.json", "--base-url", base, "--columns", "url={key},sha256=packages.*.sha265")
    #expect(wrong.status == 2 && wrong.errorText.contains("'packages.*.sha265'"), "\(wrong.told)")
  }

  @Test func `an index of Debian is a list below its archive, with the directories of its names`() throws {
    try place.directory.write(
      "Packages", "Package: b\nFilename: pool/b.deb\nSize: 2\nSHA256: \(try Self.b.hexDigest())\n\nPackage: c\n")
    let result = try place.run("-i", "Packages", "--base-url", server.url("/r/"))
    #expect(result.status == 0 && place.holds("pool/b.deb", Self.b), "\(result.told)")
    #expect(result.errorText.contains("sha256 verified"), "\(result.told)")
  }

  @Test func `columns name files, and a list without columns cannot`() throws {
    try place.directory.write("list", "'\(server.url("/r/b.conda"))' x 'y z'\n")
    let result = try place.run(
      "-i", "list", "--input-format", "fields", "--columns", "url=1", "--output-template", "{2}/{3}.{ext}")
    #expect(result.status == 0 && place.holds("x/y z.conda", Self.b), "\(result.told)")
    try place.directory.write("urls", server.url("/r/b.conda") + "\n")
    let refused = try place.run("-i", "urls", "--output-template", "{id}/{name}")
    #expect(refused.status == 2 && refused.errorText.contains("{id}"), "\(refused.told)")
    let failed = try place.run(
      "-i", "list", "--input-format", "fields", "--columns", "url=1", "--output-template", "{2}", "--failed", "f")
    #expect(failed.status == 2 && failed.errorText.contains("--failed"), "\(failed.told)")
  }

  @Test func `another scheme takes the place of ftp`() throws {
    let address = server.url("/r/b.conda").dropFirst("http".count)
    try place.directory.write("list", "ftp\(address)\n")
    let refused = try place.run("-i", "list")
    #expect(refused.status == 2, "\(refused.told)")
    let result = try place.run("-i", "list", "--url-scheme", "http")
    #expect(result.status == 0 && place.holds("b.conda", Self.b), "\(result.told)")
    try place.directory.write("list.meta4", Self.metalink(of: "ftp\(address)"))
    let metalink = try place.run("-i", "list.meta4", "--url-scheme", "http")
    #expect(metalink.status == 0 && place.holds("m", Self.b), "\(metalink.told)")
  }

  @Test func `urls of a Metalink may be relative to a base`() throws {
    try place.directory.write("list.meta4", Self.metalink(of: "b.conda"))
    let refused = try place.run("-i", "list.meta4")
    #expect(refused.status == 2 && refused.errorText.contains("--base-url"), "\(refused.told)")
    let result = try place.run("-i", "list.meta4", "--base-url", server.url("/r/"))
    #expect(result.status == 0 && place.holds("m", Self.b), "\(result.told)")
  }

  /// One file, `m`, with this URL.
  private static func metalink(of url: String) -> String {
    "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='m'><url>\(url)</url></file></metalink>"
  }

  @Test func `what failed of a list with sections names its algorithm`() throws {
    let digest = try Self.b.hexDigest("blake2b512")
    try place.directory.write("DIGESTS", "# BLAKE2B HASH\n\(digest)  b.conda\n\(digest)  missing\n")
    let result = try place.run("-i", "DIGESTS", "--base-url", server.url("/r/"), "--failed", "failed")
    #expect(result.status == 8 && place.holds("b.conda", Self.b), "\(result.told)")
    let again = try place.run("-i", "failed", "--base-url", server.url("/r/"), "--check")
    #expect(!again.told.contains("sha512"), "\(again.told)")
    #expect(try place.text("failed").contains("BLAKE2b (missing) = \(digest)"))
  }

  @Test func `a distinfo says sizes and digests of the same files`() throws {
    try place.directory.write(
      "distinfo", "TIMESTAMP = 1700000000\nSHA256 (b.conda) = \(try Self.b.hexDigest())\nSIZE (b.conda) = 2\n")
    let result = try place.run("-i", "distinfo", "--base-url", server.url("/r/"))
    #expect(result.status == 0 && place.holds("b.conda", Self.b), "\(result.told)")
    try place.directory.write(
      "distinfo", "SHA256 (a.conda) = \(try Self.a.hexDigest())\nSIZE (a.conda) = 2\n")
    let wrong = try place.run("-i", "distinfo", "--base-url", server.url("/r/"))
    #expect(wrong.status == 9 && !place.names.contains("a.conda"), "\(wrong.told)")
  }

  @Test func `text before checksums is told, and --basename leaves out what the server does not have`() throws {
    let digest = try Self.b.hexDigest()
    try place.directory.write(
      "CHECKSUMS", "These are the digests.\n\ntail +4 | sha256sum -c\n\(digest)  /build/out/b.conda\n")
    let refused = try place.run("-i", "CHECKSUMS", "--base-url", server.url("/r/"))
    #expect(refused.status == 2 && refused.errorText.contains("--basename"), "\(refused.told)")
    let result = try place.run("-v", "-i", "CHECKSUMS", "--base-url", server.url("/r/"), "--basename")
    #expect(result.status == 0 && place.holds("b.conda", Self.b), "\(result.told)")
    #expect(result.errorText.contains("CHECKSUMS: skipped 2 entries that are not files"), "\(result.told)")
    let check = try place.run("--check", "-i", "CHECKSUMS", "--basename")
    #expect(check.status == 0, "\(check.told)")
    try place.directory.write("CHECKSUMS", "\(digest)  one/b.conda\n\(try Self.a.hexDigest())  two/b.conda\n")
    let meeting = try place.run("-i", "CHECKSUMS", "--base-url", server.url("/r/"), "--basename")
    #expect(meeting.status == 2 && meeting.errorText.contains("two different sha256"), "\(meeting.told)")
  }

  @Test(arguments: [false, true])
  func `a list of Windows is UTF-16 and has backslashes`(isCompressed: Bool) throws {
    let text = "\u{feff}\(try Self.b.hexDigest().uppercased()) *.\\pool\\b.deb\r\n"
    let wide = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    try place.directory.write("list", isCompressed ? Compressor.gzip.compressed(wide) : wide)
    let result = try place.run("-i", "list", "--base-url", server.url("/r/"))
    #expect(result.status == 0 && place.holds("pool/b.deb", Self.b), "\(result.told)")
    try place.directory.write("list", wide + [0])
    let cut = try place.run("-i", "list", "--base-url", server.url("/r/"))
    #expect(cut.status == 2 && cut.errorText.contains("UTF-16"), "\(cut.told)")
  }

  @Test func `names may look like digests`() throws {
    let name = try Self.b.hexDigest()
    try place.directory.write("list", "\(name)\n\(name.replacing("0", with: "1"))\n")
    let refused = try place.run("-i", "list", "--base-url", "https://example.org/")
    #expect(refused.status == 2 && refused.errorText.contains("--input-format urls"), "\(refused.told)")
    let result = try place.run(
      "--dry-run", "-i", "list", "--base-url", "https://example.org/", "--input-format", "urls")
    #expect(result.status == 0 && result.outputText.hasPrefix("\(name): fetch\n"), "\(result.told)")
  }
}
