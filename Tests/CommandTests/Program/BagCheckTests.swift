import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Checking bags` {
  private let place: Workplace
  private var bag: BagMaker

  init() throws {
    place = try Workplace()
    bag = BagMaker(place)
  }

  private func check(_ arguments: String...) throws -> ProgramResult {
    try place.run(place.invocation(["--check", "-i", "bag"] + arguments))
  }

  @Test(arguments: ["0.93", "0.96", "0.97", "1.0"])
  func `finds a whole bag valid`(version: String) throws {
    var bag = bag
    bag.version = version
    try bag.write()
    let result = try check()
    #expect(result.status == 0 && result.error.isEmpty, "\(result.told)")
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == 10 && lines.allSatisfy { $0.hasSuffix(": OK") }, "\(result.outputText)")
    #expect(lines.first == "data/50%25: OK" && lines.contains("manifest-sha256.txt: OK"))
    let quiet = try check("-q")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.error.isEmpty)
  }

  @Test func `vouches for no bag where lists must be signed`() throws {
    try bag.write()
    let result = try check("--verify-signature", SignatureSamples.Minisign.keyLine)
    #expect(result.status == 2 && result.output.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("the bag bag is not signed: --verify-signature is for"))
  }

  @Test func `finds wrong, missing and unlisted files`() throws {
    try bag.write()
    try place.directory.write("bag/data/a", "content of b")
    unlink(place.directory.path("bag/data/empty"))
    try place.directory.write("bag/data/d/extra%25", "extra")
    symlink("../a", place.directory.path("bag/data/d/link"))
    try place.directory.write("bag/bag-info.txt", "Payload-Oxum: 1.1\n")
    let result = try check("-q")
    #expect(result.status == 9, "\(result.told)")
    #expect(
      result.outputText.split(separator: "\n") == [
        "data/a: FAILED", "data/empty: FAILED open or read", "bag-info.txt: FAILED",
        "data/d/extra%25: FAILED not listed",
        "data/d/link: FAILED not listed",
      ])
    for words in [
      "swiftget: bag/bag-info.txt:1: Payload-Oxum is 1.1, but the payload has ",
      "swiftget: warning: 2 of 12 files did not match\n", "swiftget: warning: 1 of 12 files missing\n",
      "swiftget: warning: 2 of 12 files in no manifest of the bag\n",
    ] {
      #expect(result.errorText.contains(words), "\(result.told)")
    }
  }

  @Test func `finds a wrong number of payload bytes or files`() throws {
    var bag = bag
    #expect(bag.files.count == 6 && bag.files.values.reduce(0) { $0 + $1.byteCount } == 51)
    for (oxum, status) in [("51.6", 0 as Int32), ("51.7", 9), ("52.6", 9)] {
      bag.oxum = oxum
      try bag.write()
      let result = try check("-q")
      #expect(result.status == status && result.output.isEmpty, "\(oxum): \(result.told)")
    }
  }

  @Test func `needs a payload directory and known algorithms`() throws {
    var bag = bag
    bag.files = [:]
    try bag.write()
    #expect(try check().status == 0)
    rmdir(place.directory.path("bag/data"))
    let result = try check("-q")
    #expect(result.status == 9 && result.errorText.contains("bag: the bag has no directory data"), "\(result.told)")
    try place.directory.makeDirectory("bag/data")
    try place.directory.write("bag/tagmanifest-tiger.txt", "0123 bagit.txt\n")
    let unknown = try check("-q")
    #expect(
      unknown.status == 9 && unknown.errorText.contains("tagmanifest-tiger.txt: not verified: the algorithm 'tiger'"),
      "\(unknown.told)")
  }

  @Test func `of a part looks at this part only`() throws {
    try bag.write()
    try place.directory.write("bag/data/extra", "extra")
    let part = try check("--include", "a")
    #expect(part.status == 0 && part.outputText == "data/a: OK\n", "\(part.told)")
    let extra = try check("--include", "e*")
    #expect(extra.status == 9 && extra.outputText == "data/empty: OK\ndata/extra: FAILED not listed\n", "\(extra.told)")
  }

  @Test func `before version 1 needs each file in one manifest, and allows repetitions`() throws {
    var bag = bag
    bag.version = "0.97"
    try bag.write()
    let manifest = try place.text("bag/manifest-md5.txt").split(separator: "\n").map { "\($0)\n" }
    try place.directory.write("bag/manifest-md5.txt", "\(manifest[1])\(manifest[1])")
    try bag.writeTagManifests()
    #expect(try check("-q").status == 0)
    try place.directory.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    try bag.writeTagManifests()
    let result = try check("-q")
    #expect(result.status == 2 && result.errorText.contains("is listed on line 1 already"), "\(result.told)")
  }

  @Test func `takes percent signs as written where only that name is there`() throws {
    var bag = bag
    bag.files = ["a%25": .text("x")]
    try bag.write()
    // As bagit-python lists it.
    for algorithm in bag.algorithms {
      let manifest = try place.text("bag/manifest-\(algorithm).txt")
      try place.directory.write("bag/manifest-\(algorithm).txt", manifest.replacing("%2525", with: "%25"))
    }
    try bag.writeTagManifests()
    let result = try check()
    #expect(result.status == 0 && result.outputText.hasPrefix("data/a%25: OK\n"), "\(result.told)")
    rename(place.directory.path("bag/data/a%25"), place.directory.path("bag/data/a%"))
    #expect(try check().outputText.hasPrefix("data/a%: OK\n"))
  }

  @Test func `refuses an invalid fetch.txt, whose URLs mean nothing else`() throws {
    var bag = bag
    bag.fetch = [bag.fetchLine("a", "s3://bucket/a")]
    try bag.write()
    #expect(try check("-q").status == 0)
    for line in ["https://h/x - ../x", "https://h/x - ~/x", "https://h/x - data/x", "x"] {
      bag.fetch = [line]
      try bag.write()
      let result = try check("-q")
      #expect(result.status == 2 && result.errorText.contains("bag/fetch.txt:1: "), "\(line): \(result.told)")
    }
  }

  @Test func `of a directory that is no bag is refused`() throws {
    try bag.write()
    unlink(place.directory.path("bag/bagit.txt"))
    let result = try check()
    #expect(result.status == 2 && result.errorText.contains("bagit.txt") && result.output.isEmpty, "\(result.told)")
  }
}
