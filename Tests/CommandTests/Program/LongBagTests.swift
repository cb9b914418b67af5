import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `A bag with many files` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Writes a bag without its payload. The lines of `fetch.txt` are in another order than those of the manifests.
  private func write(fileCount: Int, algorithms: [(name: String, digitCount: Int)]) throws {
    for directory in ["bag", "bag/data"] { mkdir(place.directory.path(directory), 0o755) }
    try place.directory.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    for algorithm in algorithms {
      let lines = (0..<fileCount).map { number in
        let digits = String(number, radix: 16)
        let zeros = String(repeating: "0", count: algorithm.digitCount - digits.count)
        return "\(zeros)\(digits)  data/d\(number % 10)/\(number)\n"
      }
      try place.directory.write("bag/manifest-\(algorithm.name).txt", lines.joined())
    }
    let fetch = (0..<fileCount).map { number in
      // A prime, so that every number comes once.
      let number = number * 7919 % fileCount
      return "https://h.invalid/\(number) - data/d\(number % 10)/\(number)\n"
    }
    try place.directory.write("bag/fetch.txt", fetch.joined())
  }

  @Test func `needs room for temporary files, and a small one needs none`() throws {
    var invocation = try place.invocation(["--dry-run", "-q", "-i", "bag"])
    invocation.environment["TMPDIR"] = place.directory.path("none")
    try write(fileCount: 100, algorithms: [("md5", 32), ("sha256", 64)])
    let small = try place.run(invocation)
    #expect(small.status == 0 && small.outputText.split(separator: "\n").count == 100, "\(small.told)")
    try write(fileCount: 15_000, algorithms: [("sha512", 128)])
    unlink(place.directory.path("bag/manifest-md5.txt"))
    unlink(place.directory.path("bag/manifest-sha256.txt"))
    let large = try place.run(invocation)
    #expect(large.status == 3 && large.output.isEmpty, "\(large.told.suffix(1000))")
    #expect(
      large.errorText.contains("need a temporary file in \(place.directory.path("none")): cannot create it")
        && large.errorText.contains("hint: set TMPDIR"), "\(large.told.suffix(1000))")
    invocation.environment["TMPDIR"] = place.directory.path
    let whole = try place.run(invocation)
    #expect(whole.status == 0 && whole.outputText.split(separator: "\n").count == 15_000)
    #expect(place.names == ["bag"])
  }

  /// A sanitizer keeps freed memory for a while.
  @Test(
    .enabled(if: getenv("SWIFTGET_BINARY") != nil, "measures the release build only"),
    arguments: [["--dry-run", "-i", "bag"], ["--check", "-i", "bag"]])
  func `takes little memory for each file`(arguments: [String]) throws {
    var peaks: [Int64] = []
    let counts = [1000, 300_000]
    for count in counts {
      try write(fileCount: count, algorithms: [("md5", 32), ("sha256", 64)])
      let result = try place.run(place.invocation(["-q"] + arguments))
      #expect(result.outputText.split(separator: "\n").count == count, "\(result.errorText.suffix(1000))")
      peaks.append(result.peakResidentKiB)
    }
    let byteCount = Double((peaks[1] - peaks[0]) << 10) / Double(counts[1] - counts[0])
    print("\(byteCount) bytes for each file of a bag")
    #expect(byteCount < 40)
  }

  @Test func `whose manifest changes during the run is that which was read first`() throws {
    var bag = BagMaker(place)
    let manifest = place.directory.path("bag/manifest-md5.txt")
    let service = FileService(["/a": bag.files["a"]!, "/b": bag.files["d/b c"]!])
    let server = try ScriptedServer { request in
      // Every digest of it is another one.
      let text = (try? readFile(manifest)) ?? []
      try? Content.bytes(text.map { $0 == 0x30 ? 0x31 : $0 == 0x61 ? 0x62 : $0 }).write(to: manifest)
      return service.steps(for: request)
    }
    bag.fetch = [bag.fetchLine("a", server.url("/a")), bag.fetchLine("d/b c", server.url("/b"))]
    try bag.write(missing: ["a", "d/b c"])
    let before = try place.text("bag/manifest-md5.txt")
    let result = try place.run("-j", "1", "--tries", "1", "-i", "bag")
    #expect(result.status == 0 && bag.holds("a") && bag.holds("d/b c"), "\(result.told)")
    #expect(try place.text("bag/manifest-md5.txt") != before)
  }

  @Test func `tells repeated URLs with the first line of each, and goes on if it may`() throws {
    var bag = BagMaker(place)
    let server = try ScriptedServer(FileService(["/a": bag.files["a"]!, "/b": bag.files["d/b c"]!]))
    let lines = [bag.fetchLine("a", server.url("/a")), bag.fetchLine("d/b c", server.url("/b"))]
    bag.fetch = ["x", lines[0], lines[0], "# \(lines[1])", lines[1], lines[0], lines[1]]
    try bag.write(missing: ["a", "d/b c"])
    let result = try place.run("--keep-going", "-i", "bag")
    #expect(result.status == 2 && bag.holds("a") && bag.holds("d/b c"), "\(result.told)")
    for (line, name, first) in [(3, "data/a", 2), (6, "data/a", 2), (7, "data/d/b c", 5)] {
      let words = "bag/fetch.txt:\(line): '\(name)' has a URL on line \(first) already"
      #expect(result.errorText.contains(words), "\(result.told)")
    }
    #expect(server.requests.count == 2)
  }
}
