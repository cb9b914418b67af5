import Glibc
import TestSupport
import Testing

/// Servers and files with which the examples of the manual work.
///
/// The hosts of the examples are one nginx by several names, and each example runs in a directory of its own.
final class ExamplePlace {
  private let server: RealServer
  private let authority: String
  private let digest: String
  /// What the directory of each example has at first.
  private let files: TemporaryDirectory
  private static let image = Content.generated(seed: 1, byteCount: 300_000)

  init() throws {
    files = try TemporaryDirectory()
    authority = try TestAuthority.shared().authorityPath
    digest = try Self.image.hexDigest()
    server = try .nginx {
      $0.speaksTLS = true
      $0.offersHTTP2 = true
      $0.directives = """
        ssl_verify_client optional_no_ca;
        add_header Set-Cookie id=7;
        location = /get {
          add_header Content-Disposition 'attachment; filename="named.iso"';
          rewrite ^ /a.iso break;
        }
        location = /latest { return 302 /debian.iso; }
        """
    }
    for name in ["a.iso", "b.iso", "debian.iso", "isos/a.iso"] { try server.serve(name, Self.image) }
    for (name, text) in [("a", "content of a"), ("b", "content of b")] {
      try server.serve("isos/" + name, .text(text))
      try server.serve("data/" + name, .text(text))
    }
    for number in 1...3 { try server.serve("part-0\(number).bin", .text("part \(number)")) }
    let archive = try ProgramInvocation.shell("cd '\(server.documents)' && tar czf src.tar.gz isos")
    #expect(archive.status == 0, "\(archive.told)")
    try writeFiles()
  }

  /// What stands for the words of the examples.
  private func mapped(_ command: String) -> String {
    var text = command
    for (word, value) in [
      ("https://example.org", "https://localhost:\(server.port)"), ("example.org:443", "localhost:\(server.port)"),
      ("https://mirror.example.net", "https://127.0.0.1:\(server.port)"), ("192.0.2.10", "127.0.0.1"),
      ("sha256:HEX", "sha256:\(digest)"), ("/etc/data-urls.txt", "urls.txt"), ("/srv/data", "data"),
      (" /data", " data"),
    ] {
      text = text.replacing(word, with: value)
    }
    return text
  }

  // MARK: Files

  private func writeFiles() throws {
    let base = "https://localhost:\(server.port)"
    for name in ["release", "downloads", "authorities", "bag", "bag/data"] { try files.makeDirectory(name) }
    for (name, text) in [
      ("urls.txt", "\(base)/a.iso\n\(base)/b.iso\n"), ("SHA256SUMS", SignatureSamples.list),
      ("SHA256SUMS.minisig", SignatureSamples.Minisign.signature),
      ("sums.minisig", SignatureSamples.Minisign.signature), ("minisign.pub", SignatureSamples.Minisign.key),
      ("samples.csv", "id,link,sum,file\na,\(base)/data/a,,first\nb,\(base)/data/b,,second\n"),
      ("runs.tsv", "url\tname\nlocalhost:\(server.port)/data/a\tfirst\n"),
      ("release.meta4", Self.metalink(base)), ("netrc", "machine localhost login anna password secret\n"),
      (".netrc", "machine localhost login anna password secret\n"),
      ("cookies.txt", "# Netscape HTTP Cookie File\nlocalhost\tFALSE\t/\tTRUE\t0\tid\t5\n"),
      ("nightly.conf", "jobs = 4\n"), ("release/a", "content of a"), ("downloads/a", "content of a"),
      ("downloads/b", "content of b"), ("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"),
      ("bag/manifest-sha256.txt", SignatureSamples.list.replacing("  ", with: "  data/")),
      ("bag/fetch.txt", "\(base)/data/a 12 data/a\n\(base)/data/b - data/b\n"),
      ("import.sh", "#!/bin/sh\ntest -s \"$SWIFTGET_PATH\"\n"),
      ("report.sh", "#!/bin/sh\ntest -n \"$SWIFTGET_EXIT\"\n"),
    ] {
      try files.write(name, text)
    }
    for name in ["import.sh", "report.sh"] { chmod(files.path(name), 0o755) }
    for name in ["netrc", ".netrc"] { chmod(files.path(name), 0o600) }
    let copies = try ProgramInvocation.shell(
      """
      cd '\(files.path)' && cp '\(authority)' ca.pem && cp ca.pem authorities && openssl rehash authorities \
      && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=anna -days 2 \
        -keyout client.key -out client.pem
      """)
    #expect(copies.status == 0, "\(copies.told)")
  }

  private static func metalink(_ base: String) -> String {
    """
    <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="isos/a"><language>de</language><os>Linux</os>
    <hash type="sha-256">\(SignatureSamples.list.prefix(64))</hash>
    <url location="de">\(base)/isos/a</url><url location="us">\(base)/data/a</url></file></metalink>
    """
  }

  // MARK: Runs

  /// What an example needs that another run has left.
  private static let preparations: [(words: String, command: String)] = [
    ("--frozen files.lock", "swiftget -d other -i urls.txt --lock files.lock"),
    ("--check -i bag", "swiftget -i bag"),
    ("monday.json", "swiftget -d other -i urls.txt --report monday.json"),
    ("tuesday.json", "swiftget -d other -i urls.txt --report tuesday.json"),
  ]

  /// What is only planned here: it waits, or needs a proxy or an address of IPv6.
  private static let planned = ["--splay", "proxy.example.org", "swiftget -6"]

  /// What has nothing to do here: all is there, no file belongs to the shard, or nothing failed.
  private static let idle = ["swiftget -i bag", "--shard", "--spider -q"]

  struct Run {
    let command: String
    let place: Workplace
    private let before: Set<String>
    private let program: SpawnedProgram

    fileprivate init(_ command: String, _ place: Workplace, _ invocation: ProgramInvocation) throws {
      self.command = command
      self.place = place
      before = Self.entries(of: place)
      program = try SpawnedProgram(invocation)
    }

    /// Names in the directory with their modification times.
    private static func entries(of place: Workplace) -> Set<String> {
      Set(
        place.names.map { name in
          var status = stat()
          lstat(place.directory.path(name), &status)
          return "\(name) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        })
    }

    /// Waits for its end. It has done something, and what it has downloaded is right.
    func expectSuccess() {
      let result = program.wait()
      let expected: Int32 = command.contains("--changed-exit 10") ? 10 : 0
      #expect(result.status == expected && !result.timedOut, "\(command): \(result.told)")
      let isIdle = result.output.isEmpty && Self.entries(of: place) == before
      #expect(!isIdle || ExamplePlace.idle.contains(where: command.contains), "\(command) does nothing")
      for name in ["a.iso", "b.iso", "debian.iso", "named.iso", "isos/a.iso", "data/a.iso"]
      where fileExists(place.directory.path(name)) {
        #expect(place.holds(name, ExamplePlace.image), "\(command): \(name)")
      }
    }
  }

  /// Starts a command of the manual.
  func start(_ command: String) throws -> Run {
    let place = try Workplace()
    let copy = try runProgram("/bin/cp", ["-r", files.path + "/.", place.directory.path])
    #expect(copy.status == 0, "\(copy.told)")
    // It unpacks what it downloads.
    if command.contains("unpack") {
      try place.directory.write("urls.txt", mapped("https://example.org/src.tar.gz\n"))
      try place.directory.write("unpack", "#!/bin/sh\ngunzip -k -- \"$SWIFTGET_PATH\"\n")
      #expect(chmod(place.directory.path("unpack"), 0o755) == 0)
    }
    for preparation in Self.preparations where command.contains(preparation.words) {
      let result = try place.run(invocation(preparation.command, in: place))
      #expect(result.status == 0, "\(preparation.command): \(result.told)")
    }
    let isPlanned = Self.planned.contains(where: command.contains)
    return try Run(command, place, invocation(command + (isPlanned ? " --dry-run" : ""), in: place))
  }

  private func invocation(_ command: String, in place: Workplace) throws -> ProgramInvocation {
    let arguments = try ManualExamples.arguments(mapped(command)).map { String(decoding: $0, as: UTF8.self) }
    var invocation = ProgramInvocation(try swiftgetPath(), arguments)
    invocation.directory = place.directory.path
    invocation.timeLimit = 60
    invocation.environment = ManualExamples.variables(for: command)
    invocation.environment["HOME"] = place.directory.path
    let says = ["--cacert", "--capath", "--insecure"].contains(where: command.contains)
    if !says, command.contains("example") || command.contains("-i ") {
      invocation.environment["SWIFTGET_OPTIONS"] = "--cacert=\(authority)"
    }
    return invocation
  }
}
