import TestSupport
import Testing

/// `--shard`.
@Suite(.waiting) struct `Runs of shards` {
  private let place: Workplace
  private let server: ScriptedServer
  private let requested = Locked<[String]>([])
  private static let names = (0..<24).map { "f\($0)" }

  init() throws {
    place = try Workplace()
    let files = FileService(
      Dictionary(uniqueKeysWithValues: Self.names.map { ("/" + $0, Content.text("content of \($0)")) }))
    let requested = requested
    server = try ScriptedServer { request in
      requested.withLock { $0.append(request.path) }
      return request.path == "/missing" ? [.respond(404)] : files.steps(for: request)
    }
    try place.directory.write("list", Self.names.map { server.url("/\($0)") + "\n" }.joined())
  }

  @Test func `download each file once, and are checked alike`() throws {
    for number in 1...3 {
      let result = try place.run("--shard", "\(number)/3", "-v", "-i", "list", "-d", "t")
      #expect(result.status == 0, "\(result.told)")
      let line = try #require(result.errorText.split(separator: "\n").first { $0.contains("shard \(number)/3: ") })
      let count = requested.withLock { $0.count }
      #expect(line.hasSuffix(" of 24 files"), "\(line)")
      let check = try place.run("--check", "--shard", "\(number)/3", "-i", "list", "-d", "t")
      #expect(line.contains(": \(check.outputText.split(separator: "\n").count) of"), "\(line)")
      #expect(try place.run("--shard", "\(number)/3", "-i", "list", "-d", "t").errorText.isEmpty)
      #expect(requested.withLock { $0.count } == count)
    }
    #expect(requested.withLock { $0.sorted() } == Self.names.map { "/" + $0 }.sorted())
  }

  @Test func `list as failed what is theirs`() throws {
    try place.directory.write("list", (0..<20).map { server.url("/missing") + "\n out=m\($0)\n" }.joined())
    var lines: [Substring] = []
    for number in 1...3 {
      let result = try place.run("--shard", "\(number)/3", "-i", "list", "-d", "t", "--failed", "failed")
      #expect(result.status == 8, "\(result.told)")
      lines += try place.text("failed").split(separator: "\n")
    }
    #expect(lines.count == 60 && !lines.contains { $0.contains("not started") }, "\(lines)")
    #expect(Set(lines.filter { $0.hasPrefix(" out=") }).count == 20, "\(lines)")
  }

  @Test func `share a list in GNU parallel`() throws {
    let command = [try swiftgetPath(), "--shard", "auto/4", "-i", "list", "-d", "t"]
    let result = try runProgram(
      "/usr/bin/parallel", ["--will-cite", "-j2", "-n0"] + command + [":::", "a", "b", "c", "d"],
      environment: ["HOME": place.directory.path], directory: place.directory.path)
    #expect(result.status == 0, "\(result.told)")
    #expect(requested.withLock { $0.sorted() } == Self.names.map { "/" + $0 }.sorted())
    #expect(place.directory.names(in: "t") == Self.names.sorted())
  }

  @Test func `take the shard of a job array from the environment, or say what is missing`() throws {
    var invocation = try place.invocation(["--shard=auto", "-v", "-i", "list", "-d", "t"])
    invocation.environment = [
      "SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "8",
      "SLURM_ARRAY_TASK_STEP": "4", "SLURM_ARRAY_TASK_COUNT": "3",
    ]
    let result = try place.run(invocation)
    #expect(result.status == 0 && result.errorText.contains("shard 2/3: "), "\(result.told)")
    for (shard, words) in [
      ("auto", "no variable of a job array"), ("auto/2", "no variable of a job array"), ("0/2", "is not a shard"),
      ("3/2", "is not a shard"), ("1", "is not a shard"), ("1/", "is not a shard"), ("auto/0", "is not a shard"),
      ("1/2/3", "is not a shard"),
    ] {
      let result = try place.run("--shard", shard, "-i", "list", "-d", "u")
      #expect(result.status == 2 && result.errorText.contains(words), "\(shard): \(result.told)")
    }
    #expect(place.names == ["list", "t"])
  }
}
