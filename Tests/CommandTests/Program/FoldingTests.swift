import Glibc
import TestSupport
import Testing

/// Names that are one file although their bytes differ, or one directory under two paths.
@Suite(.waiting) struct `Two names of one file` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let names = ["Read.bin", "read.bin", "caf\u{e9}", "cafe\u{301}", "Sub/a", "sub/a", "other"]

  init() throws {
    place = try Workplace()
    var files: [String: Content] = [:]
    for (index, name) in Self.names.enumerated() {
      files["/\(index)"] = .generated(seed: UInt64(index), byteCount: 3000)
      files["/" + name] = .generated(seed: UInt64(index), byteCount: 3000)
    }
    files["/big"] = mediumFile
    server = try ScriptedServer(FileService(files))
  }

  /// A run on a file system that ignores case and how an accent is composed.
  private func fold(_ arguments: String...) throws -> ProgramResult {
    var invocation = try place.invocation(arguments)
    try invocation.fail(["fold": 1, "fsetxattr": EOPNOTSUPP, "fgetxattr": EOPNOTSUPP])
    invocation.environment["XDG_CACHE_HOME"] = place.directory.path + "/cache"
    return try place.run(invocation)
  }

  private func writeList(_ numbers: Int...) throws {
    let lines = numbers.map { "\(server.url("/\($0)"))\n  out=\(Self.names[$0])\n" }
    try place.directory.write("list", lines.joined())
  }

  @Test(arguments: [0, 2, 4]) func `are refused where the file system says so, and both are named`(first: Int) throws {
    try writeList(first, first + 1, 6)
    let result = try fold("-i", "list", "-d", "t")
    let spelled = [first, first + 1].map { Self.names[$0].split(separator: "/")[0] }
    #expect(result.status == 2 && server.requests.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("list:1 and list:3 would both be written to one file"), "\(result.told)")
    #expect(spelled.allSatisfy { result.errorText.contains($0) }, "\(result.told)")
    #expect(place.directory.names(in: "t").isEmpty)

    let rest = try fold("-i", "list", "-d", "t", "--keep-going")
    #expect(rest.status == 2 && place.directory.names(in: "t") == ["other"], "\(rest.told)")
    // Elsewhere they are two files.
    #expect(try place.run("-i", "list", "-d", "other").status == 0)
    #expect(place.holds("other/" + Self.names[first], .generated(seed: UInt64(first), byteCount: 3000)))
    #expect(place.holds("other/" + Self.names[first + 1], .generated(seed: UInt64(first + 1), byteCount: 3000)))
  }

  @Test func `of the command line are refused, too`() throws {
    let result = try fold("-d", "t", server.url("/Read.bin"), server.url("/read.bin"))
    #expect(result.status == 2 && result.errorText.contains("Read.bin and read.bin are one name"), "\(result.told)")
  }

  @Test func `are not looked for by a run that writes nothing`() throws {
    try writeList(0, 1)
    let plan = try fold("-i", "list", "-d", "t", "--dry-run")
    #expect(plan.status == 0 && !fileExists(place.directory.path("t")), "\(plan.told)")
  }

  @Test(arguments: [3, 50]) func `are one file of two runs`(count: Int) throws {
    let service = FileService(Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0)", .text("\($0)")) }))
    let server = try ScriptedServer(service)
    let lines = (0..<count).map { "\(server.url("/\($0)"))\n  out=D/File \u{c9}e\u{301}\($0)\n" }
    try place.directory.write("list", lines.joined())
    #expect(try fold("-i", "list", "-d", "t").status == 0)
    #expect(place.directory.names(in: "t/d").contains("file \u{c9}\u{e9}0"))
    let requestCount = server.requests.count
    let again = try fold("-i", "list", "-d", "t")
    #expect(again.status == 0 && again.errorText.isEmpty && server.requests.count == requestCount, "\(again.told)")
    try place.directory.write("list", lines.joined().replacing("File", with: "fILE"))
    let renamed = try fold("-i", "list", "-d", "t", "--report", "report")
    #expect(renamed.status == 0 && renamed.errorText.isEmpty, "\(renamed.told)")
    #expect(try ReadReport(place.text("report")).total("kept") == count)
  }

  @Test func `that servers suggest are told apart as the file system does`() throws {
    let servers = try ["Data.bin", "data.bin"].map { name in
      try ScriptedServer(
        FileService(["/f": .text(name)]) {
          $0.extraHeaders = [("Content-Disposition", "attachment; filename=\(name)")]
        })
    }
    let result = try fold(
      "-d", "t", "-j", "1", "--content-disposition", servers[0].url("/f"), servers[1].url("/f?2"))
    #expect(result.status == 3 && place.directory.names(in: "t") == ["data.bin"], "\(result.told)")
    #expect(place.holds("t/data.bin", .text("Data.bin")))
  }

  // MARK: Directories

  @Test func `in one directory under two paths are refused`() throws {
    try place.directory.makeDirectory("real")
    #expect(symlink("real", place.directory.path("link")) == 0)
    let path = place.directory.path
    for (one, other) in [("\(path)/real", "\(path)/link"), ("\(path)/link/new", "\(path)/./real/new")] {
      try place.directory.write(
        "list",
        "\(server.url("/0"))\n  out=f\n  dir=\(one)\n\(server.url("/1"))\n  out=f\n  dir=\(other)\n")
      let result = try place.run("-i", "list")
      #expect(result.status == 2 && result.errorText.contains("list:1 and list:4 would both"), "\(result.told)")
    }
    try place.directory.write(
      "list", "\(server.url("/0"))\n  out=f\n\(server.url("/1"))\n  out=f\n  dir=\(path)/real\n")
    let result = try place.run("-i", "list", "-d", "link")
    #expect(result.status == 2 && result.errorText.contains("list:1 and list:3 would both"), "\(result.told)")
    try place.directory.write(
      "list", "\(server.url("/0"))\n  out=f\n  dir=\(path)/real\n\(server.url("/1"))\n  out=f\n  dir=\(path)/realm\n")
    #expect(try place.run("-i", "list").status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "mounts need root")) func `under two mounts are refused`() throws {
    try place.directory.makeDirectory("a")
    try place.directory.makeDirectory("b")
    try place.directory.write("list", "\(server.url("/0"))\n  out=a/f\n\(server.url("/1"))\n  out=b/f\n")
    let result = try runProgram(
      "/usr/bin/unshare",
      ["-m", "sh", "-c", "mount --bind a b || exit 77; exec \(try swiftgetPath()) --no-config -i list"],
      directory: place.directory.path)
    if result.status == 77 { return }
    #expect(result.status == 2 && result.errorText.contains("list:1 and list:3 would both"), "\(result.told)")
  }
}
