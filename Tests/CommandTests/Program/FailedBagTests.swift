import Glibc
import TestSupport
import Testing

/// `--failed` where the input is a bag.
@Suite(.waiting) struct `Lists of failed files of a bag` {
  private let place: Workplace
  private let server: ScriptedServer
  private let state = Locked(Served())
  private var bag: BagMaker

  private struct Served {
    var files: [String: Content] = [:]
    /// Paths that have other content, or none.
    var wrong: [String: Content?] = [:]
  }

  init() throws {
    place = try Workplace()
    bag = BagMaker(place)
    let state = state
    server = try ScriptedServer { request in
      let (files, wrong) = state.withLock { ($0.files, $0.wrong) }
      guard let content = wrong[request.path] ?? files[request.path] else { return [.respond(404)] }
      return FileService([request.path: content]).steps(for: request)
    }
  }

  private func run(_ arguments: [String]) throws -> ProgramResult {
    try place.run(place.invocation((arguments.contains("--check") ? [] : ["--tries", "1"]) + arguments))
  }

  private func lines(_ name: String = "failed") throws -> [String] {
    try place.text(name).split(separator: "\n").map(String.init)
  }

  /// Writes the bag without these files, with lines for them in `fetch.txt`, and serves them below `/0`, `/1` and so on.
  private func write(_ bag: inout BagMaker, missing names: [String]) throws {
    let served = names.enumerated().map { ("/\($0)", bag.files[$1]!) }
    state.withLock { $0.files = Dictionary(uniqueKeysWithValues: served) }
    bag.fetch = names.enumerated().map { bag.fetchLine($1, server.url("/\($0)"), hasLength: $0 % 2 == 0) }
    try bag.write(missing: Set(names))
  }

  private func fail(_ paths: String...) { state.withLock { for path in paths { $0.wrong[path] = .some(nil) } } }

  private func heal() { state.withLock { $0.wrong = [:] } }

  /// Whether the bag is valid, and a run with it finds nothing to do.
  private func expectWhole(_ about: Comment = "") throws {
    let check = try run(["--check", "-q", "-i", "bag"])
    #expect(check.status == 0 && check.outputText.isEmpty && check.error.isEmpty, "\(about) \(check.told)")
    let requestCount = server.requests.count
    let again = try run(["-i", "bag"])
    #expect(again.status == 0 && server.requests.count == requestCount, "\(about) \(again.told)")
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `put them into their places in it, verified`(seed: UInt64) throws {
    var bag = bag
    var generator = SeededGenerator(seed: seed)
    bag.files = [:]
    bag.algorithms = [["sha256"], ["md5", "sha512"], ["sha1", "sha256"]].randomElement(using: &generator)!
    let names = RandomNames(isText: true, hasControls: false)
    while bag.files.count < 12 {
      // What bagit-python does not read as the RFC says it.
      guard let name = names.next(&generator), !name.contains(UInt8(ascii: "%")), name.last! > 0x20 else { continue }
      // No name is the directory of another one.
      let text = "\(bag.files.count)-" + String(decoding: name, as: UTF8.self)
      let byteCount: Int64 = [0, 1, 1000, 100_000].randomElement(using: &generator)!
      bag.files[text] = .generated(seed: UInt64(bag.files.count) + 1, byteCount: byteCount)
    }
    let missing = bag.files.keys.sorted().shuffled(using: &generator).dropLast(2)
    try write(&bag, missing: Array(missing))
    var failing: Set<String> = []
    for (index, name) in missing.enumerated() {
      let content: Content? =
        switch Int.random(in: 0..<(index < 2 ? 2 : 4), using: &generator) {
        case 0: nil
        case 1: .generated(seed: 99, byteCount: max(1, bag.files[name]!.byteCount))
        default: bag.files[name]!
        }
      if content == bag.files[name]! { continue }
      state.withLock { $0.wrong["/\(index)"] = .some(content) }
      failing.insert("/\(index)")
    }
    let first = try run(["-i", "bag", "--failed", "failed"])
    #expect(first.status == 8 || first.status == 9, "seed \(seed) \(first.told)")
    let found = try lines()
    #expect(found.count == failing.count, "seed \(seed) \(found)")
    for line in found {
      for algorithm in bag.algorithms { #expect(line.contains("\"\(algorithm)\": \""), "seed \(seed) \(line)") }
    }
    heal()
    let requestCount = server.requests.count
    let second = try run(["-i", "failed", "-d", "bag", "--failed", "rest"])
    #expect(second.status == 0, "seed \(seed) \(second.told)")
    #expect(Set(server.requests[requestCount...].map(\.path)) == failing, "seed \(seed)")
    for name in bag.files.keys { #expect(bag.holds(name), "seed \(seed) \(name)") }
    #expect(try place.text("rest").isEmpty && place.names == ["bag", "failed", "rest"], "seed \(seed)")
    try expectWhole("seed \(seed)")
    guard `Other readers of manifests`.hasPythonPeers else { return }
    let other = try `Other readers of manifests`.runPython("import bagit; bagit.Bag('bag').validate()", in: place)
    #expect(other.status == 0, "seed \(seed) \(other.told)")
  }

  @Test func `have all that its manifests and fetch.txt say of each`() throws {
    var bag = bag
    let names = ["a", "50%25", "日本", "x\ny\rz"]
    try write(&bag, missing: names)
    bag.fetch![0] = "http://us%40er:s3cret@127.0.0.1:\(server.port)/0 12 data/a"
    try bag.write(missing: Set(names))
    fail("/0", "/1", "/2", "/3")
    let result = try run(["-i", "bag", "--failed", "failed"])
    #expect(result.status == 8 && !result.errorText.contains("s3cret"), "\(result.told)")
    func checksum(_ name: String) throws -> String {
      "{\"md5\": \"\(try bag.files[name]!.hexDigest("md5"))\", \"sha256\": \"\(try bag.files[name]!.hexDigest())\"}"
    }
    func error(_ number: Int) -> String {
      "\(server.url("/\(number)")): the server returned 404 Not Found"
    }
    let url = server.url
    let expected = try [
      "{\"reason\": \"\(error(0))\", \"url\": \"\(url("/0").replacing("127", with: "us%40er:s3cret@127"))\", \"out\": \"data/a\", \"size\": 12, "
        + "\"checksum\": \(checksum("a")), \"source\": {\"list\": \"bag/fetch.txt\", \"line\": 1}}",
      "{\"reason\": \"\(error(1))\", \"url\": \"\(url("/1"))\", \"out\": \"data/50%25\", "
        + "\"checksum\": \(checksum("50%25")), \"source\": {\"list\": \"bag/fetch.txt\", \"line\": 2}}",
      "{\"reason\": \"\(error(2))\", \"url\": \"\(url("/2"))\", \"out\": \"data/日本\", \"size\": 8, "
        + "\"checksum\": \(checksum("日本")), \"source\": {\"list\": \"bag/fetch.txt\", \"line\": 3}}",
    ]
    #expect(try lines() == expected)
    // JSON holds no line breaks in names; the bag does.
    #expect(
      result.errorText.contains(
        "--failed leaves out data/x\\x0ay\\x0dz of bag/fetch.txt: the name is not UTF-8 or has control characters\n"
          + "hint: swiftget -i bag downloads it\n"), "\(result.told)")
    var status = stat()
    #expect(lstat(place.directory.path("failed"), &status) == 0 && status.st_mode & 0o7777 == 0o600)
    heal()
    #expect(try run(["-i", "failed", "-d", "bag"]).status == 0)
    #expect(server.requests.contains { $0.header("Authorization") == "Basic dXNAZXI6czNjcmV0" })
    #expect(bag.holds("a") && bag.holds("50%25") && bag.holds("日本") && !bag.holds("x\ny\rz"))
    #expect(try run(["-i", "bag", "--failed", "failed"]).status == 0)
    #expect(try place.text("failed").isEmpty)
    try expectWhole()
  }

  @Test func `say how they get into it`() throws {
    var bag = bag
    try write(&bag, missing: ["a"])
    fail("/0")
    let words = "the files of list belong to the bag bag\nhint: swiftget -i list -d bag downloads them\n"
    let result = try run(["-i", "bag/fetch.txt", "--failed", "list"])
    #expect(result.status == 8 && result.errorText.contains(words), "\(result.told)")
    let quiet = try run(["-q", "-i", "bag", "--failed", "list"])
    #expect(quiet.status == 8 && !quiet.errorText.contains("belong"), "\(quiet.told)")
    heal()
    let whole = try run(["-i", "bag", "--failed", "list"])
    #expect(whole.status == 0 && !whole.errorText.contains("belong"), "\(whole.told)")
  }

  @Test func `have what a signal left of it, and nothing that the run did without`() throws {
    var bag = bag
    bag.files = ["a": mediumFile, "b": .text("b"), "c": .text("c")]
    let slow = try ScriptedServer(
      FileService(["/0": mediumFile, "/1": .text("b")]) { $0.bytesPerSecondOfServer = 1e6 })
    bag.fetch = [
      bag.fetchLine("a", slow.url("/0")), bag.fetchLine("b", slow.url("/1")), bag.fetchLine("b", slow.url("/2")),
      "\(slow.url("/3")) - data/unknown",
    ]
    try bag.write(missing: ["a", "b"])
    let program = try place.start("-j", "1", "--keep-going", "-i", "bag", "--failed", "failed")
    #expect(eventually { slow.bodyBytesSent > 500_000 })
    program.kill(SIGINT)
    let result = program.wait()
    #expect(result.status == 130, "\(result.told)")
    let found = try lines()
    try #require(found.count == 2, "\(found)")
    #expect(found[0].contains("\"out\": \"data/a\"") && found[0].contains("\"reason\": \"unfinished\""), "\(found)")
    #expect(found[1].contains(slow.url("/1")) && found[1].contains("\"reason\": \"not started\""), "\(found)")
    let again = try run(["-i", "failed", "-d", "bag"])
    #expect(again.status == 0 && slow.requests.last { $0.path == "/0" }?.header("Range") != nil, "\(again.told)")
    bag.fetch!.removeLast(2)
    try place.directory.write("bag/fetch.txt", bag.fetch!.map { $0 + "\n" }.joined())
    try bag.writeTagManifests()
    try expectWhole()
  }

  @Test func `belong to the same shards, and complete the same set`() throws {
    var bag = bag
    let names = ["a", "d/b c", "empty", "50%25", "日本"]
    try write(&bag, missing: names)
    fail("/0", "/1", "/2", "/3", "/4")
    for number in 1...2 {
      let result = try run(["--shard", "\(number)/2", "-i", "bag", "--failed", "failed\(number)"])
      #expect(result.status == 8, "\(result.told)")
    }
    let counts = try [lines("failed1").count, lines("failed2").count]
    #expect(counts[0] + counts[1] == names.count && !counts.contains(0), "\(counts)")
    heal()
    for number in 1...2 {
      let other = try run(["--shard", "\(3 - number)/2", "-i", "failed\(number)", "-d", "bag"])
      #expect(other.status == 0 && server.requests.count == names.count, "\(other.told)")
    }
    fail("/2")
    let first = try run(["--atomic", "-i", "bag", "--failed", "failed"])
    #expect(first.status == 8 && !bag.holds("a"), "\(first.told)")
    heal()
    let second = try run(["--atomic", "-i", "failed", "-d", "bag"])
    #expect(second.status == 0 && bag.holds("a"), "\(second.told)")
    try expectWhole()
  }

  // MARK: Files of the run in the bag

  @Test func `may be in it beside the payload`() throws {
    var bag = bag
    bag.files = ["a": .text("a"), "d/b": .text("b")]
    try write(&bag, missing: ["a"])
    fail("/0")
    #expect(try run(["-i", "bag", "--failed", "bag/failed", "--report", "bag/report", "--log", "bag/log"]).status == 8)
    heal()
    #expect(try run(["-i", "bag/failed", "-d", "bag"]).status == 0)
    try expectWhole()
    guard `Other readers of manifests`.hasPythonPeers else { return }
    let other = try `Other readers of manifests`.runPython("import bagit; bagit.Bag('bag').validate()", in: place)
    #expect(other.status == 0, "\(other.told)")
  }

  @Test(arguments: ["--failed", "--report", "--lock", "--save-cookies", "--log"])
  func `are no part of it, as no file of a run`(option: String) throws {
    var bag = bag
    try write(&bag, missing: ["a"])
    try place.directory.write("bag/notes", "notes")
    try bag.writeTagManifests()
    symlink("bag", place.directory.path("link"))
    symlink("bag/data/d", place.directory.path("deep"))
    let names = [
      "bagit.txt", "bag-info.txt", "fetch.txt", "manifest-md5.txt", "tagmanifest-md5.txt", "notes", "data/empty",
    ]
    let before = try names.map { try place.text("bag/" + $0) }
    for (arguments, file) in names.map({ (["-i", "bag"], "bag/" + $0) }) + [
      (["-i", "bag"], "bag/data/new"), (["-i", "bag"], "bag/data/d/new"), (["-i", "bag"], "deep/new"),
      (["-i", "bag"], "link/data/new"), (["-i", "link"], "bag/data/d/../new"),
      (["-i", "link/fetch.txt"], "link/notes"),
      (["-i", "bag"], "bag/manifest-sha512.txt"), (["--keep-going", "-i", "bag"], "bag/data/new"),
    ] {
      let result = try run(arguments + [option, file])
      let isPayload = file.contains("data/") || file.contains("deep")
      let words = isPayload ? "would be a file of the payload of the bag" : "is a file of the bag"
      let isRefused = result.errorText.contains("\(option): \(file) \(words)\nhint: give \(option) a file")
      #expect(result.status == 2 && isRefused, "\(result.told)")
      #expect(place.directory.names(in: "bag/data/d") == ["b c"], "\(arguments) \(file)")
    }
    #expect(try names.map { try place.text("bag/" + $0) } == before && server.requests.isEmpty)
    if option == "--log" {
      let check = try run(["--check", "-i", "bag", "--log", "bag/data/new"])
      #expect(check.status == 2 && check.errorText.contains("would be a file of the payload"), "\(check.told)")
    }
    #expect(!place.directory.names(in: "bag/data").contains("new"))
  }
}
