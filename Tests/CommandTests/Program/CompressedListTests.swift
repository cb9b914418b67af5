import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `Running compressed lists` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.text("content of a\n")
  private static let b = Content.text("b\n")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.a, "/b": Self.b]))
  }

  enum Format: String, CaseIterable {
    case urls, aria2, checksums, metalink, tsv, csv, json, jsonl, pooch
  }

  /// A list of both files.
  private func list(_ format: Format) throws -> String {
    let (a, b) = (server.url("/a"), server.url("/b"))
    let digest = try Self.a.hexDigest()
    switch format {
    case .urls: return "\(a)#sha256=\(digest)\n\(b)\n"
    case .aria2: return "\(a)\n checksum=sha-256=\(digest)\n\(b)\n"
    case .checksums: return "\(digest)  a\n\(try Self.b.hexDigest())  b\n"
    case .metalink:
      return """
        <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><hash type="sha-256">\(digest)</hash>
        <url>\(a)</url></file><file name="b"><url>\(b)</url></file></metalink>
        """
    case .tsv: return "url\tsha256\n\(a)\t\(digest)\n\(b)\t\n"
    case .csv: return "url,sha256\n\(a),\(digest)\n\(b),\n"
    case .json:
      let files = "{\"url\": \"\(a)\", \"checksum\": \"sha256:\(digest)\"}, {\"url\": \"\(b)\"}"
      return "{\"version\": 1, \"files\": [\(files)]}"
    case .jsonl: return "{\"url\": \"\(a)\", \"checksum\": \"sha256:\(digest)\"}\n{\"url\": \"\(b)\"}\n"
    case .pooch: return "a \(digest)\nb sha256:\(try Self.b.hexDigest())\n"
    }
  }

  @Test(arguments: Compressor.allCases, Format.allCases)
  func `every format is read, and checked`(compressor: Compressor, format: Format) throws {
    // Without a name that would tell it.
    try place.directory.write("list", compressor.compressed(try list(format)))
    let result = try place.run("-d", "out", "-i", "list", "--base-url", server.url("/"))
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("out/a", Self.a) && place.holds("out/b", Self.b))
    #expect(result.errorText.contains("swiftget: a: 13 B") && result.errorText.contains("sha256 verified"))
    let check = try place.run("--check", "-d", "out", "-i", "list", "--base-url", server.url("/"))
    // Only lists of checksums have one for each file.
    #expect(["a: OK\nb: OK\n", "a: OK\nb: unverifiable\n"].contains(check.outputText), "\(check.told)")
    #expect(server.requests.count == 2)
  }

  @Test(arguments: Compressor.allCases)
  func `standard input is read, too`(compressor: Compressor) throws {
    var invocation = try place.invocation(["-i", "-"])
    invocation.input = compressor.compressed("\(server.url("/a"))\n") + compressor.compressed("\(server.url("/b"))\n")
    let result = try place.run(invocation)
    #expect(result.status == 0 && place.holds("a", Self.a) && place.holds("b", Self.b), "\(result.told)")
  }

  @Test(arguments: ["gzip", "xz", "zstd"])
  func `what the usual tools write is read`(tool: String) throws {
    try place.directory.write("list", "\(server.url("/a"))\n\(server.url("/b"))\n")
    let paths = ["list", "packed"].map { place.directory.path($0) }
    let made = try runProgram("/bin/sh", ["-c", "\(tool) -9 <\"$0\" >\"$1\""] + paths)
    guard made.status == 0 else {
      print("not run, for \(tool) is not here")
      return
    }
    let result = try place.run("-i", "packed")
    #expect(result.status == 0 && place.holds("a", Self.a) && place.holds("b", Self.b), "\(result.told)")
  }

  @Test func `names of compressed lists tell what those of others do`() throws {
    try place.directory.write("a.sha256.gz", Compressor.gzip.compressed("\(try Self.a.hexDigest())\n"))
    try place.directory.write("B2SUMS.XZ", Compressor.xz.compressed("\(try Self.b.hexDigest("blake2b512"))  b\n"))
    let result = try place.run("-i", "a.sha256.gz", "-i", "B2SUMS.XZ", "--base-url", server.url("/"))
    #expect(result.status == 0 && place.holds("a", Self.a) && place.holds("b", Self.b), "\(result.told)")
    #expect(result.errorText.contains("blake2b verified"), "\(result.told)")
  }

  @Test(arguments: Compressor.allCases)
  func `lines are counted in the text`(compressor: Compressor) throws {
    let lines = (1...20_000).map { "\(server.url("/a"))#\($0)\n" }.joined()
    try place.directory.write("list.gz", compressor.compressed(lines + "\nnot a URL\n"))
    let result = try place.run("-i", "list.gz")
    #expect(result.status == 2 && server.requests.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("swiftget: list.gz:20002: "), "\(result.told)")
  }

  /// As wrong entries are told first only if the data is intact.
  @Test(arguments: [["-i"], ["--keep-going", "-i"]]) func `damage is told instead of wrong entries`(arguments: [String])
    throws
  {
    var bytes = Compressor.zstd.compressed((0..<100_000).map { "\($0)\n" }.joined())
    bytes[bytes.count - 2] ^= 0xff
    try place.directory.write("list", bytes)
    let result = try place.run(place.invocation(arguments + ["list"]))
    #expect(
      result.status == 2 && result.errorText.hasPrefix("swiftget: the list list: the zstd data is damaged\nhint: "))
    #expect(result.errorText.split(separator: "\n").count == 2, "\(result.told)")
  }

  /// What is wrong is found in the first block, where the format is detected, or later.
  @Test(arguments: Compressor.allCases, [2, 40_000])
  func `data that is not intact starts nothing`(compressor: Compressor, count: Int) throws {
    let bytes = compressor.compressed((0..<count).map { "\(server.url("/a"))\n  out=\($0)\n" }.joined())
    var wrong = bytes
    wrong[bytes.count * 9 / 10] ^= 0xff
    let other = compressor == .xz ? "the xz data is damaged" : "other data follows the \(compressor) data"
    for (bytes, reason) in [
      (Array(bytes.dropLast()), "the \(compressor) data ends too early"),
      (Array(bytes.prefix(bytes.count / 2)), "the \(compressor) data ends too early"),
      (wrong, "the \(compressor) data is damaged"), (bytes + Array("something else\n".utf8), other),
    ] {
      try place.directory.write("list", bytes)
      let result = try place.run("-d", "out", "-i", "list")
      #expect(result.status == 2, "\(result.told)")
      #expect(result.errorText.hasPrefix("swiftget: the list list: \(reason)\nhint: "), "\(result.told)")
      // Once, and nothing else.
      #expect(result.errorText.split(separator: "\n").count == 2, "\(result.told)")
      let check = try place.run("--check", "-i", "list")
      #expect(check.status == 2 && check.errorText.contains(reason) && check.output.isEmpty, "\(check.told)")
    }
    #expect(server.requests.isEmpty && place.names == ["list"])
  }

  @Test(arguments: [Compressor.xz, .zstd])
  func `a list that needs much memory is refused`(compressor: Compressor) throws {
    try place.directory.write("list", try #require(compressor.needingMuchMemory))
    let result = try place.run("-i", "list")
    #expect(result.status == 2 && result.errorText.contains("needs more than 128 MiB of memory"), "\(result.told)")
  }

  /// Lines without an end, or empty ones, or an object that is not closed.
  @Test(arguments: Compressor.allCases, [("x", 2), ("\n", 0), ("{", 2)])
  func `a bomb does no harm`(compressor: Compressor, bomb: (text: String, status: Int32)) throws {
    // A debug build takes seconds for each MiB of lines.
    let isRelease = getenv("SWIFTGET_BINARY") != nil
    let byteCount = isRelease ? 8 << 20 : 256 << 10
    let part = compressor.compressed([UInt8](repeating: bomb.text.utf8.first!, count: byteCount))
    let count = isRelease ? 12 : 3
    try place.directory.write("list", (0..<count).flatMap { _ in part })
    var invocation = try place.invocation(["-i", "list"])
    // A hundred million lines take twelve seconds of a processor that others use as well.
    invocation.timeLimit = 300
    let result = try place.run(invocation)
    #expect(result.status == bomb.status, "\(result.told)")
    #expect(result.errorText.utf8.count < 2000)
    print("\(compressor) of \(count * byteCount) bytes: \(result.peakResidentKiB) KiB, \(result.wallSeconds) s")
    #expect(result.peakResidentKiB < 128 << 10)
  }

  @Test func `a list that changes while the run lasts stops it`() throws {
    let path = place.directory.path("list")
    func list(_ name: String) -> [UInt8] {
      // Long enough to be read in several blocks.
      var generator = SeededGenerator(seed: 5)
      let lines = (0..<40_000).map { "\(server.url("/a"))?\(generator.next())\n  out=\(name)\($0)\n" }
      return Compressor.gzip.compressed(lines.joined())
    }
    let (one, other) = (list("x"), list("y"))
    let hasChanged = Locked(false)
    let changing = try ScriptedServer { request in
      hasChanged.withLock { hasChanged in
        if !hasChanged { try? Content.bytes(other).write(to: path) }
        hasChanged = true
      }
      return FileService(["/a": Self.a]).steps(for: request)
    }
    try place.directory.write("list", one)
    try place.directory.write("first", "\(changing.url("/a"))\n")
    let result = try place.run("-q", "-d", "out", "-j", "1", "-i", "first", "-i", "list")
    #expect(result.status == 3 && result.errorText.contains("the list list changed"), "\(result.told)")
    #expect(!place.directory.names(in: "out").contains { $0.hasPrefix("y") })
  }
}
