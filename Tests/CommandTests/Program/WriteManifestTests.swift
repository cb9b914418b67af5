import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Writing manifests` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// A tree with names that formats treat in their own way.
  private func makeTree(_ names: [String] = ["a", "b c", "back\\slash", "d/e", "d/日", "empty", "x\ny", "(z) = "]) throws
  {
    for directory in ["t", "t/d"] { try place.directory.makeDirectory(directory) }
    for name in names { try place.directory.write("t/" + name, name == "empty" ? "" : "content of \(name)") }
  }

  private func sum(_ program: String, _ list: String) throws -> ProgramResult {
    try runProgram(
      "/usr/bin/" + program, ["-c", "--strict", "--quiet", place.directory.path(list)],
      directory: place.directory.path("t"))
  }

  @Test(arguments: [
    ("gnu", "sha256"), ("bsd", "sha256"), ("gnu", "md5"), ("bsd", "sha512"), ("bsd", "blake2b"), ("gnu", "sha384"),
  ])
  func `as checksum lines pass coreutils and --check, and fail after one byte`(format: String, algorithm: String) throws
  {
    try makeTree()
    let result = try place.run("--write-manifest", format, "--algorithm", algorithm, "-o", "SUMS", "t")
    #expect(result.status == 0 && result.errorText.isEmpty && result.output.isEmpty, "\(result.told)")
    let program = algorithm == "blake2b" ? "b2sum" : algorithm + "sum"
    let coreutils = try sum(program, "SUMS")
    #expect(coreutils.status == 0, "\(coreutils.told)")
    let check = try place.run("--check", "-i", "SUMS", "-d", "t")
    #expect(check.status == 0 && check.errorText.isEmpty, "\(check.told)")
    #expect(check.outputText.split(separator: "\n").count == 8 && check.outputText.contains("x\\x0ay: OK\n"))
    try place.directory.write("t/d/e", "content of d/E")
    let failed = try place.run("--check", "-q", "-i", "SUMS", "-d", "t")
    #expect(failed.status == 9 && failed.outputText == "d/e: FAILED\n", "\(failed.told)")
    #expect(failed.errorText == "swiftget: warning: 1 of 8 files did not match\n")
    #expect(place.names == ["SUMS", "t"])
  }

  @Test func `is stable, and goes to standard output without --output`() throws {
    try makeTree(["b", "a", "d/c", "d.x"])
    let first = try place.run("--write-manifest", "gnu", "t")
    let lines = first.outputText.split(separator: "\n").map { $0.dropFirst(66) }
    #expect(first.status == 0 && lines == ["a", "b", "d.x", "d/c"], "\(first.told)")
    #expect(try place.run("--write-manifest=gnu", "t/").output == first.output)
    #expect(try place.run("--write-manifest=gnu", "-o", "-", "t").output == first.output)
    #expect(place.names == ["t"])
  }

  @Test(arguments: [("metalink", "M.meta4"), ("json", "M.json"), ("jsonl", "M.jsonl")])
  func `with URLs are lists to download from`(format: String, name: String) throws {
    try makeTree(["a", "b c", "d/e", "d/日", "%41"])
    let big = Content.generated(seed: 5, byteCount: 5_000_000)
    try big.write(to: place.directory.path("t/big"))
    let names = ["a", "b c", "d/e", "d/日", "%41"]
    func content(_ name: String) -> Content { .text("content of \(name)") }
    var files = ["/x/big": big]
    for (name, path) in zip(names, ["a", "b%20c", "d/e", "d/%E6%97%A5", "%2541"]) {
      files["/x/" + path] = content(name)
    }
    let server = try ScriptedServer(FileService(files))
    let written = try place.run("--write-manifest", format, "--base-url", server.url("/x"), "-o", name, "t")
    #expect(written.status == 0, "\(written.told)")
    let downloaded = try place.run("-i", name, "-d", "out")
    #expect(downloaded.status == 0, "\(downloaded.told)")
    for name in names { #expect(place.holds("out/" + name, content(name))) }
    #expect(place.holds("out/big", big))
    let check = try place.run("--check", "-i", name, "-d", "out")
    #expect(check.status == 0 && check.outputText.contains("big: OK\n"), "\(check.told)")
    if format == "metalink" {
      let text = try place.text(name)
      #expect(text.contains("<pieces length=\"1048576\" type=\"sha-256\">"))
      let parsed = try runProgram(
        "/usr/bin/python3",
        ["-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", place.directory.path(name)])
      #expect(parsed.status == 0, "\(parsed.told)")
    }
  }

  @Test func `leaves out links, special files, leftovers and the manifest itself`() throws {
    try makeTree(["a"])
    symlink("a", place.directory.path("t/link"))
    symlink("d", place.directory.path("t/dlink"))
    mkfifo(place.directory.path("t/pipe"), 0o600)
    try place.directory.write("t/x.swiftget-part", "unfinished")
    try place.directory.write("t/SUMS", "an old manifest")
    let result = try place.run("--write-manifest", "gnu", "-o", "t/SUMS", "t")
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.text("t/SUMS").split(separator: "\n").map { $0.dropFirst(66) } == ["a"])
    let warnings = result.errorText.split(separator: "\n")
    #expect(warnings.count == 4 && warnings.allSatisfy { $0.contains("warning: left out: ") }, "\(result.told)")
    let quiet = try place.run("-q", "--write-manifest", "gnu", "-o", "t/SUMS", "t")
    #expect(quiet.status == 0 && quiet.errorText.isEmpty)
    var redirected = try place.invocation(["-q", "--write-manifest", "gnu", "t"])
    redirected.outputPath = place.directory.path("t/SUMS")
    #expect(try place.run(redirected).status == 0)
    #expect(try place.text("t/SUMS").split(separator: "\n").map { $0.dropFirst(66) } == ["a"])
  }

  @Test func `replaces a manifest as a whole, and keeps its mode`() throws {
    try makeTree(["a"])
    try place.directory.write("SUMS", String(repeating: "old", count: 1000))
    chmod(place.directory.path("SUMS"), 0o640)
    #expect(try place.run("--write-manifest", "gnu", "-o", "SUMS", "t").status == 0)
    var status = stat()
    stat(place.directory.path("SUMS"), &status)
    let text = try place.text("SUMS")
    #expect(status.st_mode & 0o777 == 0o640 && text.utf8.count == 68)
    mkfifo(place.directory.path("pipe"), 0o600)
    let special = try place.run("--write-manifest", "gnu", "-o", "pipe", "t")
    #expect(special.status == 3 && special.errorText.contains("pipe: it is a pipe"), "\(special.told)")
    let missing = try place.run("--write-manifest", "gnu", "-o", "no/SUMS", "t")
    #expect(missing.status == 3 && missing.errorText.contains("no/SUMS: cannot write it"), "\(missing.told)")
  }

  @Test func `writes nothing if a directory or a name cannot be listed`() throws {
    try makeTree(["a", "x\ny"])
    let absent = try place.run("--write-manifest", "gnu", "-o", "SUMS", "absent")
    #expect(absent.status == 3 && absent.errorText.contains("absent: cannot read the directory"), "\(absent.told)")
    let file = try place.run("--write-manifest", "gnu", "-o", "SUMS", "t/a")
    #expect(file.status == 3, "\(file.told)")
    let name = try place.run("--write-manifest", "metalink", "--base-url", "https://example.org/", "-o", "M", "t")
    #expect(
      name.status == 3 && name.errorText.contains("x\\x0ay: the name contains a control character"), "\(name.told)")
    #expect(place.names == ["t"])
  }

  @Test(arguments: [
    (["gnu"], "exactly one directory"), (["gnu", "t", "u"], "exactly one directory"),
    (["gnu", "https://example.org/"], "not a URL"), (["gnu", "t", "--base-url", "https://h/"], "has no URLs"),
    (["metalink", "t"], "needs the URLs"), (["gnu", "t", "-i", "x"], "'--input-file' has no meaning"),
    (["gnu", "-d", "t"], "--dir"),
    (["gnu", "t", "--check"], "--check contradicts --write-manifest"),
    (["gnu", "t", "--algorithm", "crc32"], "not a list of algorithms"),
    (["gnu", "t", "--algorithm", "sha256,sha3-256"], "same length"), (["xml", "t"], "not a valid value"),
    (["metalink", "t", "--base-url", "https://h/", "--algorithm", "blake2b"], "no name for blake2b"),
    (["json", "t", "--base-url", "https://u:S3CR3T@h/"], "passwords"),
    (["json", "t", "--base-url", "https://h/?S3CR3T"], "queries"),
    (["gnu", "t", "--report", "r"], "'--report' has no meaning"),
    (["gnu", "t", "--exclude", "x"], "'--exclude' has no"),
    (["gnu", "t", "--on-exit", "true"], "'--on-exit' has"),
    (["gnu", "t", "--shard", "1/2"], "'--shard' has no meaning"),
    (["gnu", "t", "--strict"], "'--strict' has"),
    (["bagit", "t", "-o", "-"], "standard output"), (["gnu", "t", "-o", "x.swiftget"], "reserved"),
  ])
  func `refuses command lines that ask for nothing`(arguments: [String], words: String) throws {
    try place.directory.makeDirectory("t")
    let result = try place.run(place.invocation(["--write-manifest"] + arguments))
    #expect(result.status == 2 && result.errorText.contains(words) && result.output.isEmpty, "\(result.told)")
    #expect(!result.errorText.contains("S3CR3T") && place.names == ["t"])
  }

  @Test func `as a bag has the payload under data`() throws {
    try makeTree(["a", "d/e"])
    let made = try place.run("--write-manifest", "bagit", "-o", "bag", "t")
    #expect(made.status == 0 && made.errorText.isEmpty, "\(made.told)")
    let check = try place.run("--check", "-i", "bag/manifest-sha256.txt", "-d", "bag")
    #expect(check.status == 0 && check.outputText == "data/a: OK\ndata/d/e: OK\n", "\(check.told)")
    #expect(try place.run("-q", "--write-manifest", "bagit", "--in-place", "t").errorText.isEmpty)
    #expect(place.directory.names(in: "t") == place.directory.names(in: "bag"))
    let again = try place.run("--write-manifest", "bagit", "t")
    #expect(again.status == 3 && again.errorText.contains("t: the directory is a bag already"), "\(again.told)")
    #expect(place.names == ["bag", "t"])
  }

  @Test func `as a bag in its own place needs a word of the user, who is told what moves`() throws {
    try makeTree(["a", "d/e"])
    try place.directory.makeDirectory("t/.git")
    try place.directory.write("t/.git/config", "")
    let asked = try place.run("--write-manifest", "bagit", "t")
    #expect(asked.status == 2 && asked.output.isEmpty, "\(asked.told)")
    #expect(asked.errorText.contains("t would become a bag: all 3 files, .git included, would move"), "\(asked.told)")
    #expect(asked.errorText.contains("--in-place") && asked.errorText.contains("-o BAG"), "\(asked.told)")
    #expect(place.directory.names(in: "t") == [".git", "a", "d"])
    let copy = try place.run("--write-manifest", "bagit", "-o", "bag", "t")
    #expect(copy.status == 0 && place.directory.names(in: "t") == [".git", "a", "d"], "\(copy.told)")
    let made = try place.run("--write-manifest", "bagit", "--in-place", "t")
    #expect(made.status == 0 && made.errorText.contains("t becomes a bag: all 3 files, .git included,"), "\(made.told)")
    #expect(place.directory.names(in: "t/data") == [".git", "a", "d"])
    for arguments in [["gnu", "--in-place", "t"], ["bagit", "--in-place", "-o", "x", "t"]] {
      #expect(try place.run(place.invocation(["--write-manifest"] + arguments)).status == 2)
    }
    #expect(try place.run("--in-place", "https://h/a").status == 2)
  }

  @Test func `is ended by a signal, with nothing left`() throws {
    try place.directory.makeDirectory("t")
    // Sparse: long to hash, and quickly made.
    for number in 0..<4 {
      try place.directory.write("t/\(number)", "")
      truncate(place.directory.path("t/\(number)"), 64 << 30)
    }
    let program = try place.start("--write-manifest", "gnu", "-o", "SUMS", "t")
    let reads = eventually {
      let lines = (try? readFile("/proc/\(program.identifier)/io")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return (Int(lines.prefix { $0 != "\n" }.drop { !$0.isNumber }) ?? 0) > 50_000_000
    }
    program.kill(SIGINT)
    let result = program.wait()
    #expect(reads && result.status == 130, "\(result.told)")
    #expect(place.names == ["t"])
  }
}
