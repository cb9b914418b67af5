import Glibc
import TestSupport
import Testing

/// Runs of one list in one directory at the same time, as overlapping cron jobs have them.
@Suite(.waiting) struct `Overlapping runs` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private let files: [String: Content]

  init() throws {
    var files: [String: Content] = [:]
    for number in 0..<40 { files["\(number)"] = .generated(seed: UInt64(number), byteCount: Int64(500 + number * 300)) }
    for number in 0..<4 { files["large\(number)"] = .generated(seed: UInt64(70 + number), byteCount: 2_000_000) }
    self.files = files
    place = try Workplace()
    let contents = files.map { ("/" + $0.key, $0.value) }
    service = FileService(Dictionary(uniqueKeysWithValues: contents)) { $0.bytesPerSecondOfServer = 20e6 }
    server = try ScriptedServer(service)
  }

  /// - Parameter hasDigests: of some files, so that an existing one is hashed and not believed.
  private func writeList(hasDigests: Bool) throws {
    let lines = try files.sorted { $0.key < $1.key }.enumerated().map { number, file in
      let digest = hasDigests && number % 16 == 0 ? "#sha256=\(try file.value.hexDigest())" : ""
      return server.url("/\(file.key)\(digest)") + "\n"
    }
    try place.directory.write("list", lines.joined())
  }

  private func start(_ count: Int, _ options: [String], on system: PoorFileSystem? = nil) throws -> [SpawnedProgram] {
    try (0..<count).map { number in
      var invocation = try place.invocation(["-i", "list", "-d", "t", "--report", "report\(number)"] + options)
      // Where the machine is busy.
      invocation.timeLimit = 100
      try system?.apply(to: &invocation)
      return try SpawnedProgram(invocation)
    }
  }

  private func wrongFiles() -> [String] { files.filter { !place.holds("t/" + $0.key, $0.value) }.map(\.key) }

  private func expectComplete(_ told: String) {
    #expect(wrongFiles().isEmpty, "\(told)")
    let others = Set(place.directory.names(in: "t")).subtracting(files.keys)
    #expect(others.isEmpty, "\(others) \(told)")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `that wait for one another end well whoever is killed`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try writeList(hasDigests: Bool.random(using: &random))
    let programs = try start(Int.random(in: 2...3, using: &random), ["--lock-wait", "90"])
    let victim = Int.random(in: programs.indices, using: &random)
    let signal = [SIGKILL, SIGTERM].randomElement(using: &random)!
    pause(seconds: Double.random(in: 0..<1, using: &random))
    programs[victim].kill(signal)
    let results = programs.map { $0.wait() }
    let told = "seed \(seed): " + results.map(\.told).joined(separator: "\n---\n")
    for (number, result) in results.enumerated() {
      #expect(!result.timedOut)
      if number != victim || result.status == 0 {
        #expect(result.status == 0, "\(told)")
        let report = try ReadReport(place.text("report\(number)"))
        #expect((report.total("downloaded") ?? 0) + (report.total("kept") ?? 0) == files.count)
      } else {
        // Before the program hears signals, SIGTERM kills it, too.
        #expect(result.signal == signal || signal == SIGTERM && result.status == 143, "\(told)")
      }
    }
    expectComplete(told)
  }

  @Test(arguments: [nil, .network] as [PoorFileSystem?])
  func `that do not wait end with 0 or 75, and the next run has it all`(system: PoorFileSystem?) throws {
    try writeList(hasDigests: true)
    let results = try start(3, [], on: system).map { $0.wait() }
    let told = results.map(\.told).joined(separator: "\n---\n")
    #expect(results.allSatisfy { $0.status == 0 || $0.status == 75 }, "\(told)")
    expectComplete(told)
    let last = try place.run("-i", "list", "-d", "t")
    #expect(last.status == 0 && last.errorText.isEmpty, "\(last.told)")
  }

  // MARK: A file that another run makes meanwhile

  /// Downloads a file of 8 bytes, whose target the server makes before it answers.
  private func run(finding found: String, _ options: String...) throws -> ProgramResult {
    let directory = place.directory
    let content = FileService(["/x": .text("whatever")])
    let server = try ScriptedServer { request in
      try? directory.write("x", found)
      return content.steps(for: request)
    }
    return try place.run(place.invocation(["-v"] + options + [server.url("/x")]))
  }

  @Test func `keep a small file that another one has finished`() throws {
    let result = try run(finding: "whatever")
    #expect(result.status == 0 && place.names == ["x"], "\(result.told)")
    #expect(result.errorText.contains("appeared during the download"), "\(result.told)")
    let digest = "sha256:\(try Content.text("whatever").hexDigest())"
    #expect(unlink(place.directory.path("x")) == 0)
    let verified = try run(finding: "whatever", "--checksum", digest)
    #expect(verified.status == 0 && verified.errorText.contains("already there, sha256 verified"), "\(verified.told)")
  }

  @Test func `leave alone what is not that file`() throws {
    let result = try run(finding: "longer than it")
    #expect(result.status == 9 && place.holds("x", .text("longer than it")), "\(result.told)")
    #expect(result.errorText.contains("the file already exists with 14 bytes"), "\(result.told)")
    #expect(unlink(place.directory.path("x")) == 0)
    let refused = try run(finding: "whatever", "--if-exists", "fail")
    #expect(refused.status == 3 && refused.errorText.contains("the file already exists"), "\(refused.told)")
    #expect(place.names == ["x"])
  }

  @Test func `replace what has not the digest`() throws {
    let digest = "sha256:\(try Content.text("whatever").hexDigest())"
    let result = try run(finding: "longer than it", "--checksum", digest)
    // The server makes the wrong file again before each answer; the digest decides.
    #expect(result.status == 0 && place.holds("x", .text("whatever")), "\(result.told)")
  }
}
