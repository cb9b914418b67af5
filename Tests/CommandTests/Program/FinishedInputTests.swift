import Glibc
import TestSupport
import Testing

/// What a finished run leaves for the next one: the index of its files. Without attributes there is one for few files, too.
@Suite(.waiting) struct `Inputs of a finished run` {
  private let place: Workplace
  private let cache: TemporaryDirectory
  private let server: ScriptedServer
  private static let names = ["a", "b", "c"]

  init() throws {
    place = try Workplace()
    cache = try TemporaryDirectory()
    server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: Self.names.map { ("/\($0)", Content.text("content of \($0)")) })))
  }

  private func invocation(_ arguments: [String], input: String? = nil) throws -> ProgramInvocation {
    var invocation = try place.invocation(arguments)
    invocation.environment["XDG_CACHE_HOME"] = cache.path
    invocation.environment["HOME"] = cache.path
    invocation.input = input.map { Array($0.utf8) }
    try invocation.fail(["fsetxattr": EOPNOTSUPP, "fgetxattr": EOPNOTSUPP])
    return invocation
  }

  private func run(_ arguments: [String], input: String? = nil) throws -> ProgramResult {
    try place.run(invocation(arguments, input: input))
  }

  /// The inputs that the index has; nil for none.
  private func inputs() throws -> Set<String>? {
    let names = cache.names(in: "swiftget")
    guard names.count == 1 else { return nil }
    let index = try readFile(cache.path("swiftget/\(names[0])"))
    let end = 40 + Int(index[32]) + Int(index[33]) << 8
    guard index.starts(with: "swiftget index 2".utf8), end > 40 else { return nil }
    return Set(index[40..<end].split(separator: 0).map { String(decoding: $0.dropFirst(), as: UTF8.self) })
  }

  /// Runs under strace.
  ///
  /// - Returns: the existing files below the workplace that were opened for reading.
  private func filesRead(_ arguments: [String]) throws -> Set<String> {
    var invocation = try invocation(arguments)
    // strace itself cannot load a library that AddressSanitizer was compiled into.
    let preloaded = invocation.environment.removeValue(forKey: "LD_PRELOAD")
    let ofProgram = preloaded.map { ["-E", "LD_PRELOAD=\($0)"] } ?? []
    invocation.arguments =
      ["-f", "-e", "trace=open,openat", "-o", cache.path("trace")] + ofProgram + [invocation.path]
      + invocation.arguments
    invocation.path = "/usr/bin/strace"
    // LeakSanitizer does not work under strace.
    invocation.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    let result = try place.run(invocation)
    #expect(result.status == 0, "\(result.told)")
    let trace = String(decoding: try cache.read("trace"), as: UTF8.self)
    let opened = trace.split(separator: "\n").compactMap { line -> String? in
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0].hasSuffix("AT_FDCWD, "), parts[2].hasPrefix(", O_RDONLY"),
        !parts[2].contains(" = -1"), !parts[2].contains("O_DIRECTORY")
      else { return nil }
      return String(parts[1])
    }
    return Set(opened.filter { !$0.hasPrefix("/") && $0 != "." })
  }

  private func writeBag() throws -> BagMaker {
    var bag = BagMaker(place)
    bag.files = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Content.text("content of \($0)")) })
    bag.fetch = Self.names.map { bag.fetchLine($0, server.url("/\($0)")) }
    try bag.write(missing: Set(Self.names))
    return bag
  }

  /// Whatever is read on the way is an input, or is named here as one that decides nothing.
  @Test(arguments: [
    (["-i", "bag"], [String]()), (["-i", "bag/fetch.txt", "--config", "config"], []),
    (
      [
        "-i", "SHA256SUMS", "--base-url", "URL", "--verify-signature", "minisign.pub", "--netrc-file", "netrc",
        "--load-cookies", "jar", "-d", "t", "--frozen", "lock", "--config", "config",
      ], ["netrc", "jar"]
    ),
  ])
  func `are all files that it reads`(arguments: [String], others: [String]) throws {
    _ = try writeBag()
    try place.directory.write("SHA256SUMS", SignatureSamples.list)
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    try place.directory.write("minisign.pub", SignatureSamples.Minisign.key)
    try place.directory.write("netrc", "")
    try place.directory.write("jar", "")
    try place.directory.write("config", "connections = 2\n")
    let arguments = arguments.map { $0 == "URL" ? server.url("/") : $0 }
    if arguments.contains("lock") {
      let locking = try run(["-i", "SHA256SUMS", "--base-url", server.url("/"), "-d", "u", "--lock", "lock"])
      #expect(locking.status == 0, "\(locking.told)")
      for name in cache.names(in: "swiftget") { unlink(cache.path("swiftget/\(name)")) }
    }
    let first = try run(arguments)
    #expect(first.status == 0, "\(first.told)")
    pause(seconds: 3.1)
    let read = try filesRead(arguments)
    let inputs = try #require(try inputs())
    #expect(read.count >= 4 && read.subtracting(inputs).subtracting(others).isEmpty, "\(read), \(inputs)")
    // Now they are as they were for more than a moment, and none of them is read.
    let readAgain = try filesRead(arguments)
    #expect(readAgain.subtracting(others).isSubset(of: ["config"]), "\(readAgain)")
  }

  @Test func `are the manifests of a bag`() throws {
    let bag = try writeBag()
    #expect(try run(["-i", "bag/fetch.txt"]).status == 0)
    pause(seconds: 3.1)
    #expect(try run(["-i", "bag/fetch.txt"]).status == 0)
    #expect(try inputs()?.contains("bag/manifest-md5.txt") == true)
    var other = bag
    other.files["b"] = .text("another content")
    for algorithm in bag.algorithms {
      let lines = try Self.names.map { "\(try other.files[$0]!.hexDigest(algorithm))  data/\($0)\n" }
      try place.directory.write("bag/manifest-\(algorithm).txt", lines.joined())
    }
    try bag.writeTagManifests()
    let again = try run(["-i", "bag/fetch.txt"])
    #expect(again.status == 9, "\(again.told)")
  }

  @Test func `are not the file with the name of the standard input`() throws {
    try place.directory.write("-", "a file")
    let arguments = ["-i", "-", "-d", "t"]
    for _ in 0..<2 {
      #expect(try run(arguments, input: server.url("/a") + "\n").status == 0)
      pause(seconds: 3.1)
    }
    let other = try run(arguments, input: server.url("/b") + "\n")
    #expect(other.status == 0 && place.holds("t/b", .text("content of b")), "\(other.told)")
  }
}
