import Glibc
import TestSupport
import Testing

/// What other programs make of the manifests that we write, and we of theirs, on trees of random names.
@Suite(.waiting) struct `Other readers of manifests` {
  private static let seeds = 0..<6 as Range<UInt64>
  private static let root = String(#filePath.dropLast("/Tests/CommandTests/Program/PeerReaderTests.swift".count))
  /// Made by `make deps`, which goes on without it where there is no package index.
  private static let python = root + "/.build/peers/bin/python3"
  static var hasPythonPeers: Bool { access(root + "/.build/peers/ready", F_OK) == 0 }

  private let place: Workplace

  init() throws { place = try Workplace() }

  /// A tree in the directory `t` of an empty workplace, for each seed.
  private func withTrees(
    _ names: RandomNames, where isAllowed: ([UInt8]) -> Bool = { _ in true }, count: Int = 20,
    _ body: (Workplace, RandomTree, _ about: Comment) throws -> Void
  ) throws {
    for seed in Self.seeds {
      let place = try Workplace()
      try place.directory.makeDirectory("t")
      let tree = try RandomTree(
        seed: seed, names: names, in: place.directory.path("t"), count: count, where: isAllowed)
      try #require(tree.files.count > 4)
      try body(place, tree, "seed \(seed)")
    }
  }

  static func runPython(_ script: String, _ arguments: String..., in place: Workplace) throws -> ProgramResult {
    try runProgram(python, ["-c", script] + arguments, directory: place.directory.path)
  }

  @Test(arguments: ["gnu", "bsd"], ["sha256sum", "shasum"])
  func `of checksum lines find every file`(format: String, program: String) throws {
    let names = RandomNames(isText: false, hasControls: true)
    // shasum does not decode `\r`.
    try withTrees(names, where: { program != "shasum" || !$0.contains(0x0d) }) { place, tree, about in
      let written = try place.run("--write-manifest", format, "-o", "SUMS", "t")
      #expect(written.status == 0, "\(about) \(written.told)")
      let found = try runProgram(
        "/usr/bin/" + program, ["-c", "--strict", place.directory.path("SUMS")], directory: place.directory.path("t"))
      #expect(found.status == 0, "\(about) \(found.told)")
      let count = found.output.split(separator: 0x0a).count { $0.reversed().starts(with: ": OK".utf8.reversed()) }
      #expect(count == tree.files.count, "\(about) \(found.outputText)")
      let check = try place.run("--check", "-i", "SUMS", "-d", "t")
      #expect(check.status == 0 && check.outputText.split(separator: "\n").count == tree.files.count, "\(about)")
    }
  }

  private func writeMetalink(of server: RealServer, in place: Workplace) throws {
    let result = try place.run(
      "--write-manifest", "metalink", "--base-url", server.url("/"), "-o", "m.meta4", server.documents)
    #expect(result.status == 0, "\(result.told)")
    try place.directory.makeDirectory("out")
  }

  @Test func `of Metalink download every file: aria2`() throws {
    var names = RandomNames(isText: true, hasControls: false)
    // NAME.aria2 stands beside an unfinished file.
    names.longestComponent = 249
    let big = Content.generated(seed: 5, byteCount: 5_000_000)
    for seed in Self.seeds {
      let place = try Workplace()
      let server = try RealServer.nginx()
      // aria2 1.36 writes an ampersand in a name as `&#38;`.
      let tree = try RandomTree(
        seed: seed, names: names, in: server.documents, where: { !$0.contains(UInt8(ascii: "&")) })
      try server.serve("big", big)
      try writeMetalink(of: server, in: place)
      let result = try runProgram(
        "/usr/bin/aria2c", ["--no-conf", "-q", "--file-allocation=none", "-V", "-M", place.directory.path("m.meta4")],
        directory: place.directory.path("out"))
      #expect(result.status == 0, "seed \(seed): \(result.told) \(result.outputText)")
      #expect(tree.files.count > 4 && tree.differences(in: place.directory.path("out")) == [], "seed \(seed)")
      #expect(place.holds("out/big", big))
    }
  }

  /// wget2 1.99 takes the first file of a Metalink, and text as it stands: without entities, in ASCII only.
  @Test func `of Metalink download a file by its pieces: wget2`() throws {
    let big = Content.generated(seed: 5, byteCount: 5_000_000)
    let name = "a 'b';#%0A\\{*"
    let server = try RealServer.nginx()
    try server.serve(name, big)
    try writeMetalink(of: server, in: place)
    let result = try runProgram(
      "/usr/bin/wget2", ["--no-config", "--force-metalink", "-i", place.directory.path("m.meta4")],
      directory: place.directory.path("out"), timeLimit: 60)
    #expect(result.status == 0 && place.holds("out/" + name, big), "\(result.told)")
  }

  @Test func `of Metalink find it valid`() throws {
    try withTrees(RandomNames(isText: true, hasControls: false)) { place, _, about in
      try Content.generated(seed: 5, byteCount: 5_000_000).write(to: place.directory.path("t/big"))
      let written = try place.run(
        "--write-manifest", "metalink", "--base-url", "https://example.org/a b/", "--algorithm",
        "sha256,md5", "-o", "m", "t")
      #expect(written.status == 0, "\(about) \(written.told)")
      let result = try runProgram(
        "/usr/bin/xmllint",
        ["--noout", "--relaxng", Self.root + "/Tests/Peers/metalink4.rng", place.directory.path("m")])
      #expect(result.status == 0, "\(about) \(result.told)")
    }
  }

  @Test(arguments: ["json", "jsonl"])
  func `of JSON find every file`(format: String) throws {
    let script = """
      import hashlib, json, os, sys
      text = open("m", encoding="utf-8").read()
      files = json.loads(text)["files"] if sys.argv[1] == "json" else [json.loads(line) for line in text.split("\\n")[:-1]]
      for file in files:
          content = open("t/" + file["out"], "rb").read()
          assert len(content) == file["size"] and hashlib.sha256(content).hexdigest() == file["checksum"]["sha256"], file
      print(sorted(file["out"] for file in files) == sorted(
          os.path.relpath(os.path.join(path, name), "t") for path, _, names in os.walk("t") for name in names))
      """
    try withTrees(RandomNames(isText: true, hasControls: true)) { place, _, about in
      let written = try place.run("--write-manifest", format, "-o", "m", "t")
      #expect(written.status == 0, "\(about) \(written.told)")
      let result = try runProgram("/usr/bin/python3", ["-c", script, format], directory: place.directory.path)
      #expect(result.status == 0 && result.outputText == "True\n", "\(about) \(result.told)")
    }
  }

  @Test(.enabled(if: Self.hasPythonPeers))
  func `of bags find them valid`() throws {
    // bagit-python 1.9 strips blanks from the ends of lines, decodes no `%25`, and two of the LFs and CRs of a name.
    let isAllowed = { (name: [UInt8]) in
      !name.contains(UInt8(ascii: "%")) && name.last! > 0x20 && name.count { $0 == 0x0a } <= 2
        && name.count { $0 == 0x0d } <= 2
    }
    try withTrees(RandomNames(isText: true, hasControls: true), where: isAllowed, count: 40) { place, tree, about in
      let written = try place.run("--write-manifest", "bagit", "--algorithm", "sha256,md5", "-o", "bag", "t")
      #expect(written.status == 0, "\(about) \(written.told)")
      let result = try Self.runPython(
        "import bagit; bag = bagit.Bag('bag'); bag.validate(); print(len(bag.payload_entries()))", in: place)
      #expect(result.status == 0 && result.outputText == "\(tree.files.count)\n", "\(about) \(result.told)")
    }
  }

  @Test(.enabled(if: Self.hasPythonPeers))
  func `write bags that --check finds complete`() throws {
    // It writes `%0A` for LF, and for `%0A`.
    let isAllowed = { (name: [UInt8]) in !String(decoding: name, as: UTF8.self).contains("%0A") }
    try withTrees(RandomNames(isText: true, hasControls: true), where: isAllowed) { place, tree, about in
      let made = try Self.runPython("import bagit; bagit.make_bag('t', checksums=['sha256', 'sha512'])", in: place)
      #expect(made.status == 0, "\(about) \(made.told)")
      let check = try place.run("--check", "-i", "t")
      #expect(check.status == 0, "\(about) \(check.told) \(check.outputText)")
      let count = check.outputText.split(separator: "\n").count { $0.hasPrefix("data/") }
      #expect(count == tree.files.count, "\(about) \(check.outputText)")
    }
  }

  @Test(.enabled(if: Self.hasPythonPeers))
  func `read the same names in a registry of pooch`() throws {
    let script = """
      import os, pooch, shlex
      names = [os.path.relpath(os.path.join(path, name), "t") for path, _, names in os.walk("t") for name in names]
      with open("registry", "w", encoding="utf-8") as file:
          for name in names: file.write(f"{shlex.quote(name)} {pooch.file_hash('t/' + name)}\\n")
      registry = pooch.create(path="t", base_url="https://example.org/")
      registry.load_registry("registry")
      print(sorted(registry.registry_files) == sorted(names))
      """
    try withTrees(RandomNames(isText: true, hasControls: false)) { place, tree, about in
      let made = try Self.runPython(script, in: place)
      #expect(made.status == 0 && made.outputText == "True\n", "\(about) \(made.told)")
      let check = try place.run("--check", "-i", "registry", "--input-format", "pooch", "-d", "t")
      #expect(check.status == 0, "\(about) \(check.told) \(check.outputText)")
      #expect(check.outputText.split(separator: "\n").count == tree.files.count, "\(about)")
    }
  }
}
