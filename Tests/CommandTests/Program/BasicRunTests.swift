import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Running the program` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let files: [String: Content] = [
    "/a.bin": .generated(seed: 1, byteCount: 100_000), "/b.txt": .text("the second file\n"),
    "/sub/c%20d.txt": .text("blank in the name"), "/empty": .text(""), "/big": mediumFile, "/": .text("the index"),
  ]

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(Self.files))
  }

  private func content(_ path: String) -> Content { Self.files[path]! }

  @Test func `one URL becomes one file and one line`() throws {
    let result = try place.run(server.url("/a.bin"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["a.bin"] && place.holds("a.bin", content("/a.bin")))
    #expect(result.output.isEmpty)
    #expect(result.errorText.hasPrefix("swiftget: a.bin: 97 KiB in ") && result.errorText.hasSuffix("\n"))
    #expect(result.errorText.split(separator: "\n").count == 1)
    #expect(server.requests.map(\.method) == ["GET"])
    #expect(server.requests[0].rangeHeader == nil && server.requests[0].header("Accept-Encoding") == "identity")
  }

  @Test func `the file has the server's time and a mode with the umask applied`() throws {
    try place.run(server.url("/b.txt"))
    var status = stat()
    #expect(stat(place.directory.path("b.txt"), &status) == 0)
    #expect(status.st_mtim.tv_sec == 1_735_725_600 && status.st_mtim.tv_nsec == 0)
    let mask = umask(0)
    umask(mask)
    #expect(status.st_mode & 0o777 == 0o666 & ~mask)
  }

  @Test func `several URLs become several files`() throws {
    let result = try place.run(
      server.url("/a.bin"), server.url("/b.txt"), server.url("/sub/c%20d.txt?x=1"), server.url("/empty"),
      server.url("/"), server.url("/big"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.names == ["a.bin", "b.txt", "big", "c d.txt", "empty", "index.html"])
    #expect(place.holds("a.bin", content("/a.bin")) && place.holds("b.txt", content("/b.txt")))
    #expect(place.holds("c d.txt", content("/sub/c%20d.txt")) && place.holds("empty", .text("")))
    #expect(place.holds("index.html", content("/")) && place.holds("big", content("/big")))
    #expect(result.errorText.contains("swiftget: 6 files downloaded"))
  }

  @Test func `an output name may contain a new directory`() throws {
    #expect(try place.run("-o", "new/name", server.url("/b.txt")).status == 0)
    #expect(place.names == ["new"] && place.directory.names(in: "new") == ["name"])
    #expect(place.holds("new/name", content("/b.txt")))
  }

  @Test func `a missing target directory is created`() throws {
    #expect(try place.run("-d", "x/y", server.url("/b.txt"), server.url("/a.bin")).status == 0)
    #expect(place.names == ["x"] && place.directory.names(in: "x/y") == ["a.bin", "b.txt"])
    #expect(try place.run("-d", "x/y", "-o", "other", server.url("/b.txt")).status == 0)
    #expect(place.holds("x/y/other", content("/b.txt")))
  }

  @Test func `a dash writes to standard output and nothing else`() throws {
    for path in ["/b.txt", "/big", "/empty"] {
      let result = try place.run("-o", "-", server.url(path))
      #expect(result.status == 0, "\(result.told)")
      #expect(result.output == content(path).allBytes)
    }
    #expect(place.names.isEmpty)
  }

  @Test func `the checksum applies to standard output`() throws {
    let right = try content("/big").hexDigest()
    #expect(try place.run("-o", "-", "--checksum", "sha256:\(right)", server.url("/big")).status == 0)
    let wrong = String(right.reversed())
    let result = try place.run("-o", "-", "--checksum", "sha256:\(wrong)", server.url("/big"))
    #expect(result.status == 9, "\(result.told)")
    #expect(place.names.isEmpty)
  }

  @Test func `a device is written to and not replaced`() throws {
    let result = try place.run("-o", "/dev/null", server.url("/big"))
    #expect(result.status == 0, "\(result.told)")
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    #expect(!fileExists("/dev/null.swiftget") && !fileExists("/dev/null.swiftget-part") && place.names.isEmpty)
  }

  @Test func `a name is never treated as a command or a path outside`() throws {
    let service = FileService(["/-rf": .text("x"), "/..%2f..%2fout": .text("y"), "/a%00b": .text("z")])
    let server = try ScriptedServer(service)
    #expect(try place.run(server.url("/-rf")).status == 0)
    #expect(place.holds("-rf", .text("x")))
    for path in ["/..%2f..%2fout", "/a%00b"] {
      let result = try place.run(server.url(path))
      #expect(result.status == 0 || result.status == 2, "\(result.told)")
      #expect(!fileExists(place.directory.path("../out")) && !fileExists(place.directory.path("../../out")))
    }
  }
}

@Suite(.waiting) struct `Checksums on the command line` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/f": .text("abc"), "/big": mediumFile]))
  }

  @Test(arguments: [
    ("sha256:", "sha256"), ("sha-256=", "sha256"), ("MD5:", "md5"), ("sha1:", "sha1"), ("sha224:", "sha224"),
    ("sha384:", "sha384"), ("SHA512=", "sha512"), ("sha3-256:", "sha3-256"), ("blake2b:", "blake2b512"),
    ("sha3-224:", "sha3-224"), ("SHA3-384=", "sha3-384"), ("sha3_512:", "sha3-512"), ("BLAKE2s:", "blake2s256"),
  ])
  func `a right digest is reported as verified`(prefix: String, algorithm: String) throws {
    for (path, content) in [("/f", Content.text("abc")), ("/big", mediumFile)] {
      let result = try place.run("--checksum", prefix + content.hexDigest(algorithm), server.url(path))
      #expect(result.status == 0, "\(result.told)")
      #expect(result.errorText.contains(" verified"))
      #expect(place.holds(String(path.dropFirst()), content))
    }
  }

  @Test(arguments: ["/f", "/big"])
  func `a wrong digest ends with status 9 and no file`(path: String) throws {
    let wrong = String(repeating: "0123456789abcdef", count: 4)
    let name = String(path.dropFirst())
    let result = try place.run("--checksum", "sha256:\(wrong)", server.url(path))
    #expect(result.status == 9, "\(result.told)")
    #expect(!place.names.contains(name))
    #expect(result.errorText.contains("swiftget: \(name): "))
    let right = try (path == "/f" ? Content.text("abc") : mediumFile).hexDigest()
    #expect(try place.run("--checksum", "sha256:\(right)", server.url(path)).status == 0)
    #expect(place.names.contains(name))
  }

  @Test func `the content with a wrong digest is set aside`() throws {
    try place.run("--checksum", "md5:00000000000000000000000000000000", server.url("/big"))
    #expect(!place.names.contains("big"))
    #expect(place.names.contains { place.holds($0, mediumFile) }, "\(place.names)")
  }

  @Test func `a digest of the wrong length is a usage error`() throws {
    for bad in ["sha256:abc", "sha257:00", "00", "md5:zz"] {
      let result = try place.run("--checksum", bad, server.url("/f"))
      #expect(result.status == 2, "\(bad) \(result.told)")
    }
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }

  @Test func `a digest for several URLs is a usage error`() throws {
    let result = try place.run(
      "--checksum", "md5:00000000000000000000000000000000", server.url("/f"), server.url("/big"))
    #expect(result.status == 2, "\(result.told)")
    #expect(server.requests.isEmpty)
  }
}
