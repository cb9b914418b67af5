import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Filling bags` {
  private let place: Workplace
  private var bag: BagMaker

  init() throws {
    place = try Workplace()
    bag = BagMaker(place)
  }

  /// A server that has the payload under numbers, and the lines of `fetch.txt` for it.
  private func serve(_ names: [String]) throws -> (ScriptedServer, [String]) {
    var served: [String: Content] = [:]
    for (index, name) in names.enumerated() { served["/\(index)"] = bag.files[name] }
    let server = try ScriptedServer(FileService(served))
    return (server, names.enumerated().map { bag.fetchLine($1, server.url("/\($0)"), hasLength: $0 % 2 == 0) })
  }

  @Test(arguments: [["-i", "bag"], ["-i", "bag/"], ["-i", "bag/fetch.txt"], ["-d", "bag", "-i", "bag"]])
  func `downloads what is missing into the bag`(arguments: [String]) throws {
    var bag = bag
    let missing = ["d/b c", "50%25", "日本", "x\ny\rz", "empty"]
    let (server, fetch) = try serve(missing)
    bag.fetch = fetch
    try bag.write(missing: Set(missing))
    let result = try place.run(place.invocation(arguments))
    #expect(result.status == 0, "\(result.told)")
    for name in bag.files.keys { #expect(bag.holds(name), "\(name)") }
    #expect(server.requests.count == missing.count && place.names == ["bag"])
    let check = try place.run("--check", "-q", "-i", "bag")
    #expect(check.status == 0 && check.output.isEmpty && check.error.isEmpty, "\(check.told)")
    // Everything is there and right.
    let again = try place.run(place.invocation(arguments))
    #expect(again.status == 0 && server.requests.count == missing.count, "\(again.told)")
  }

  @Test func `works inside the bag, too`() throws {
    var bag = bag
    let (server, fetch) = try serve(["a"])
    bag.fetch = fetch
    try bag.write(missing: ["a"])
    for list in [".", "fetch.txt"] {
      unlink(place.directory.path("bag/data/a"))
      var invocation = try place.invocation(["-i", list])
      invocation.directory = place.directory.path("bag")
      let result = try place.run(invocation)
      #expect(result.status == 0 && bag.holds("a"), "\(result.told)")
    }
    #expect(server.requests.count == 2)
  }

  @Test func `compares the digests of every manifest and the length`() throws {
    var bag = bag
    let server = try ScriptedServer(FileService(["/a": .text("another one"), "/b": bag.files["d/b c"]!]))
    bag.fetch = [bag.fetchLine("a", server.url("/a"), hasLength: false)]
    try bag.write(missing: ["a"])
    let wrong = try place.run("--tries", "1", "-i", "bag")
    #expect(wrong.status == 9 && !fileExists(place.directory.path("bag/data/a")), "\(wrong.told)")
    // The digest of one manifest alone does not do.
    bag.fetch = [bag.fetchLine("d/b c", server.url("/b"))]
    try bag.write(missing: ["d/b c"])
    let manifest = try place.text("bag/manifest-md5.txt")
    let md5 = try bag.files["d/b c"]!.hexDigest("md5")
    try place.directory.write(
      "bag/manifest-md5.txt", manifest.replacing(md5, with: String(repeating: "0", count: 32)))
    try bag.writeTagManifests()
    try bag.files["a"]!.write(to: place.directory.path("bag/data/a"))
    unlink(place.directory.path("bag/data/d/b c"))
    let other = try place.run("--tries", "1", "-i", "bag")
    #expect(other.status == 9 && !fileExists(place.directory.path("bag/data/d/b c")), "\(other.told)")
    #expect(other.errorText.contains("md5"), "\(other.told)")
  }

  @Test func `names what can never be got, before anything starts`() throws {
    var bag = bag
    let (server, fetch) = try serve(["a"])
    bag.fetch = fetch
    for number in 0..<30 { bag.files["n\(number)"] = .text("\(number)") }
    try bag.write(missing: Set(bag.files.keys.filter { $0.hasPrefix("n") } + ["a"]))
    let result = try place.run("-i", "bag")
    #expect(result.status == 2 && server.requests.isEmpty, "\(result.told)")
    let lines = result.errorText.split(separator: "\n").filter { $0.contains("is missing, and fetch.txt has no URL") }
    #expect(lines.count == 20 && lines[0].contains("bag/manifest-md5.txt:"), "\(result.told)")
    // What is not asked for need not be there.
    let part = try place.run("-i", "bag", "--include", "a")
    #expect(part.status == 0 && bag.holds("a"), "\(part.told)")
  }

  @Test func `refuses what fits no manifest, with file and line`() throws {
    var bag = bag
    let (server, fetch) = try serve(["a"])
    bag.fetch =
      fetch + [
        "# \(fetch[0])", "https://h/x - data/unknown", "https://h/x - ../a", "https://h/b - data/a",
        "https://h/x data/a",
      ]
    try bag.write(missing: ["a"])
    let result = try place.run("-i", "bag")
    #expect(result.status == 2 && server.requests.isEmpty, "\(result.told)")
    let expected = [
      "bag/fetch.txt:3: 'data/unknown' is listed in no payload manifest",
      "bag/fetch.txt:4: '../a': the name contains '..'", "bag/fetch.txt:5: 'data/a' has a URL on line 1 already",
      "bag/fetch.txt:6: the line is not a URL, a length and a name",
    ]
    for words in expected { #expect(result.errorText.contains(words), "\(result.told)") }
    #expect(!result.errorText.contains("is missing"), "\(result.told)")
  }

  @Test(arguments: [
    ("manifest-md5.txt", "x  data/a\n", "bag/manifest-md5.txt:1: the line is not a checksum and a name"),
    ("manifest-md5.txt", "\n", "is not listed in manifest-md5.txt"),
    ("manifest-SHA256.txt", "", "has the same algorithm"),
    ("manifest-sha3_256.txt", "", "is not listed in manifest-sha3_256.txt"),
    ("tagmanifest-md5.txt", "00  data/a\n", "bag/tagmanifest-md5.txt:1: the md5 is not 32 hexadecimal digits"),
    (
      "bagit.txt", "BagIt-Version: 3.0\nTag-File-Character-Encoding: UTF-8\n",
      "bag/bagit.txt:1: the BagIt version '3.0'"
    ),
    (
      "bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-16\n", "bag/bagit.txt:2: the encoding 'UTF-16'"
    ),
    ("bag-info.txt", "Payload-Oxum: 1.1\nPayload-Oxum: 1.2\n", "bag/bag-info.txt:2: the bag has two different values"),
  ])
  func `refuses damaged files of the bag`(name: String, text: String, words: String) throws {
    var bag = bag
    let (server, fetch) = try serve(["a"])
    bag.fetch = fetch
    try bag.write(missing: ["a"])
    try place.directory.write("bag/" + name, text)
    for arguments in [["-i", "bag"], ["--check", "-i", "bag"]] {
      let result = try place.run(place.invocation(arguments))
      #expect(result.status == 2 && result.errorText.contains(words) && result.output.isEmpty, "\(result.told)")
    }
    #expect(server.requests.isEmpty && !fileExists(place.directory.path("bag/data/a")))
  }

  @Test func `needs a manifest, and none behind a link`() throws {
    var bag = bag
    bag.algorithms = ["sha256"]
    try bag.write()
    rename(place.directory.path("bag/manifest-sha256.txt"), place.directory.path("bag/manifest-tiger.txt"))
    let unknown = try place.run("-i", "bag")
    #expect(
      unknown.status == 2 && unknown.errorText.contains("no payload manifest has a known algorithm"), "\(unknown.told)")
    rename(place.directory.path("bag/manifest-tiger.txt"), place.directory.path("manifest"))
    let none = try place.run("-i", "bag")
    #expect(none.status == 2 && none.errorText.contains("bag: the bag has no payload manifest"), "\(none.told)")
    symlink("../manifest", place.directory.path("bag/manifest-sha256.txt"))
    let link = try place.run("-i", "bag")
    #expect(
      link.status == 2
        && link.errorText.contains("bag/manifest-sha256.txt: it or a directory in its path is a symbolic link"),
      "\(link.told)")
  }

  @Test func `never writes through a link of the payload`() throws {
    var bag = bag
    let (server, fetch) = try serve(["d/b c"])
    bag.fetch = fetch
    try bag.write(missing: ["d/b c"])
    rmdir(place.directory.path("bag/data/d"))
    try place.directory.makeDirectory("outside")
    symlink("../../outside", place.directory.path("bag/data/d"))
    let result = try place.run("-i", "bag")
    #expect(result.status == 3 && place.directory.names(in: "outside").isEmpty, "\(result.told)")
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [
    (["-i", "bag", "-i", "list"], "the only list"), (["-i", "bag", "https://h/a"], "the only list"),
    (["-i", "bag", "-d", "other"], "into the bag"), (["-i", "bag", "--strip-components", "1"], "--strip-components"),
    (["-i", "bag", "--base-url", "https://h/"], "--base-url"), (["-i", "other"], "is a directory"),
    (["-i", "other", "--input-format", "bagit"], "no bagit.txt"),
    (["-i", "bag", "--input-format", "urls"], "is a directory"),
  ])
  func `refuses options that contradict a bag`(arguments: [String], words: String) throws {
    try bag.write()
    try place.directory.makeDirectory("other")
    try place.directory.write("list", "https://h/b\n")
    let result = try place.run(place.invocation(arguments))
    #expect(result.status == 2 && result.errorText.contains(words), "\(result.told)")
  }

  @Test func `has nothing to do where nothing is missing`() throws {
    try bag.write()
    let result = try place.run("-i", "bag")
    #expect(result.status == 0 && result.errorText.contains("contains no files"), "\(result.told)")
  }

  @Test func `takes a fetch.txt without its bag as a list`() throws {
    let (server, fetch) = try serve(["a", "d/b c"])
    try place.directory.write("list", fetch.map { $0 + "\n" }.joined())
    let result = try place.run("-i", "list", "-d", "out")
    #expect(result.status == 0, "\(result.told)")
    #expect(server.requests.count == 2)
    #expect(place.holds("out/data/a", bag.files["a"]!) && place.holds("out/data/d/b c", bag.files["d/b c"]!))
  }

  @Test func `takes percent signs as written where the bag shows that they are`() throws {
    var bag = bag
    bag.files = ["50%": .text("1"), "%25": .text("2")]
    let server = try ScriptedServer(FileService(["/1": .text("1"), "/2": .text("2")]))
    bag.fetch = ["\(server.url("/1")) 1 data/50%", "\(server.url("/2")) 1 data/%25"]
    try bag.write(missing: ["50%", "%25"])
    for algorithm in bag.algorithms {
      let manifest = try place.text("bag/manifest-\(algorithm).txt")
      try place.directory.write("bag/manifest-\(algorithm).txt", manifest.replacing("%25", with: "%"))
    }
    try bag.writeTagManifests()
    let result = try place.run("-i", "bag")
    #expect(result.status == 0 && bag.holds("50%") && bag.holds("%25"), "\(result.told)")
    #expect(try place.run("--check", "-q", "-i", "bag").status == 0 && server.requests.count == 2)
  }

  @Test func `from a written bag and nginx is a round trip`() throws {
    let server = try RealServer.nginx()
    try place.directory.makeDirectory("t")
    try place.directory.makeDirectory("t/d")
    var fetch: [String] = []
    for (index, name) in bag.files.keys.sorted().enumerated() {
      try bag.files[name]!.write(to: place.directory.path("t/" + name))
      try server.serve("f\(index)", bag.files[name]!)
      fetch.append(bag.fetchLine(name, server.url("/f\(index)")))
    }
    let made = try place.run("--write-manifest", "bagit", "--algorithm", "sha256,sha3-256,md5", "-o", "bag", "t")
    #expect(made.status == 0, "\(made.told)")
    try place.directory.write("bag/fetch.txt", fetch.map { $0 + "\n" }.joined())
    for name in bag.files.keys { unlink(place.directory.path("bag/data/" + name)) }
    let holey = try place.run("--check", "-i", "bag")
    #expect(holey.status == 9, "\(holey.told)")
    let filled = try place.run("-i", "bag")
    #expect(filled.status == 0, "\(filled.told)")
    for name in bag.files.keys { #expect(bag.holds(name), "\(name)") }
    let check = try place.run("--check", "-i", "bag")
    #expect(check.status == 0 && check.error.isEmpty, "\(check.told)")
    #expect(check.outputText.contains("data/x\\x0ay\\x0dz: OK\n") && check.outputText.contains("bagit.txt: OK\n"))
  }

  @Test(arguments: ["bag-info.txt", "manifest-md5.txt", "notes/read me", "fetch.txt"])
  func `refuses a bag whose own files do not match its tag manifests`(name: String) throws {
    var bag = bag
    let (server, fetch) = try serve(["a"])
    bag.fetch = fetch
    try bag.write(missing: ["a"])
    try place.directory.makeDirectory("bag/notes")
    try place.directory.write("bag/notes/read me", "notes")
    try place.directory.write(
      "bag/tagmanifest-md5.txt",
      place.text("bag/tagmanifest-md5.txt") + "\(try Content.text("notes").hexDigest("md5"))  notes/read me\n")
    let path = place.directory.path("bag/\(name)")
    // What a parser passes over changes the digest.
    let changes: [() throws -> Void] = [
      { try place.directory.write("bag/\(name)", place.text("bag/\(name)") + (name == "fetch.txt" ? "\r\n" : "\n")) },
      { unlink(path) },
    ]
    for change in changes where name != "manifest-md5.txt" || fileExists(path) {
      let before = try place.text("bag/\(name)")
      try change()
      let result = try place.run("-i", "bag")
      #expect(result.status == 9 && server.requests.isEmpty && !bag.holds("a"), "\(result.told)")
      #expect(
        result.errorText.contains("bag/\(name): ") && result.errorText.contains("bag/tagmanifest-"), "\(result.told)")
      try place.directory.write("bag/\(name)", before)
    }
    let result = try place.run("-i", "bag")
    #expect(result.status == 0 && bag.holds("a"), "\(result.told)")
  }
}
