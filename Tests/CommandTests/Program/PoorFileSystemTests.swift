import Glibc
import TestSupport
import Testing

@Suite(.waiting) struct `File systems without attributes, unnamed files and locks` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer
  private static let smallCount = 40
  private static func small(_ number: Int) -> Content {
    .generated(seed: UInt64(number), byteCount: Int64(number * 97))
  }

  init() throws {
    place = try Workplace()
    var files = ["/f": mediumFile, "/g": otherMediumFile, "/plain": Content.text("no digest")]
    for number in 1...Self.smallCount { files["/d/\(number)"] = Self.small(number) }
    service = FileService(files)
    server = try ScriptedServer(service)
  }

  private func invocation(_ system: PoorFileSystem, _ arguments: [String]) throws -> ProgramInvocation {
    var invocation = try place.invocation(arguments)
    try system.apply(to: &invocation)
    return invocation
  }

  private func run(_ system: PoorFileSystem, _ arguments: String...) throws -> ProgramResult {
    try place.run(invocation(system, arguments))
  }

  /// 40 small files and a large one with digests, and one of each without.
  private func writeList() throws {
    let scratch = try TemporaryDirectory()
    try scratch.makeDirectory("d")
    for number in 1...Self.smallCount { try Self.small(number).write(to: scratch.path("d/\(number)")) }
    try mediumFile.write(to: scratch.path("f"))
    let sums = try ProgramInvocation.shell("cd '\(scratch.path)' && sha256sum f d/*")
    let lines = sums.outputText.split(separator: "\n").map { line in
      "\(server.url("/" + line.dropFirst(66)))#sha256=\(line.prefix(64))\n"
    }
    try place.directory.write("list", lines.joined() + "\(server.url("/g"))\n\(server.url("/plain"))\n")
  }

  private func expectFiles(_ told: String) {
    let numbers = (1...Self.smallCount).filter { !place.holds("t/\($0)", Self.small($0)) }
    #expect(numbers.isEmpty, "\(told)")
    #expect(place.holds("t/f", mediumFile) && place.holds("t/g", otherMediumFile), "\(told)")
    #expect(place.directory.names(in: "t").count == Self.smallCount + 3, "\(place.directory.names(in: "t"))")
  }

  @Test(arguments: PoorFileSystem.allCases)
  func `hold what was downloaded, and a rerun keeps it`(system: PoorFileSystem) throws {
    try writeList()
    let first = try run(system, "-i", "list", "-d", "t", "--report", "report")
    #expect(first.status == 0, "\(first.told)")
    #expect(first.errorText.split(separator: "this file system cannot sync").count == (system == .unsynced ? 2 : 1))
    expectFiles(first.told)
    #expect(try place.attribute("user.swiftget.verified", of: "t/f") == nil)
    let report = try ReadReport(place.text("report"))
    #expect(report.total("downloaded") == 43 && report.items.count { $0.digest?.hasSuffix(" given") == true } == 41)

    let requestCount = server.requests.count
    let second = try run(system, "-i", "list", "-d", "t")
    #expect(second.status == 0 && second.errorText.isEmpty, "\(second.told)")
    // Files with a digest are hashed. Of the others the server is asked for the length.
    #expect(Set(server.requests[requestCount...].map(\.path)) == ["/g", "/plain"])
    expectFiles(second.told)

    let check = try run(system, "--check", "-q", "-i", "list", "-d", "t")
    #expect(check.status == 0, "\(check.told)")
    try Self.small(1).write(to: place.directory.path("t/2"))
    #expect(try run(system, "--check", "-q", "-i", "list", "-d", "t").status == 9)
    let third = try run(system, "-i", "list", "-d", "t", "--report", "report")
    #expect(third.status == 0, "\(third.told)")
    #expect(try ReadReport(place.text("report")).total("kept") == 42)
    expectFiles(third.told)
  }

  @Test(arguments: PoorFileSystem.allCases)
  func `are known again by the index of the list, without a question and without reading`(
    system: PoorFileSystem
  ) throws {
    try writeList()
    let cache = try TemporaryDirectory()
    func run(_ arguments: String...) throws -> ProgramResult {
      var invocation = try invocation(system, arguments + ["-i", "list", "-d", "t"])
      invocation.environment["XDG_CACHE_HOME"] = cache.path
      return try place.run(invocation)
    }
    #expect(try run().status == 0)
    #expect(cache.names(in: "swiftget").count == 1)
    let requestCount = server.requests.count
    let second = try run("--report", "report")
    #expect(second.status == 0 && second.errorText.isEmpty, "\(second.told)")
    #expect(server.requests.count == requestCount)
    let report = try ReadReport(place.text("report"))
    #expect(report.total("kept") == 43 && report.items.count { $0.digest?.hasSuffix(" given") == true } == 41)
    let plan = try run("--dry-run")
    #expect(plan.status == 0 && plan.errorText.contains("43 files"), "\(plan.told)")

    // Changed content with the old size and time is noticed, be it with or without a digest.
    for name in ["t/2", "t/plain"] {
      let old = try place.directory.read(name)
      let changed = try ProgramInvocation.shell(
        "cd '\(place.directory.path)' && sleep 6 && touch -r \(name) time && printf X | dd of=\(name) conv=notrunc "
          + "2>&1 && touch -r time \(name) && rm time")
      let new = try place.directory.read(name)
      #expect(changed.status == 0 && new != old, "\(changed.told)")
    }
    let third = try run()
    #expect(third.status == 0, "\(third.told)")
    #expect(place.holds("t/2", Self.small(2)))
    #expect(server.requests[requestCount...].contains { $0.path == "/plain" }, "the server is asked again")
  }

  @Test(arguments: PoorFileSystem.allCases)
  func `hold what a killed run had`(system: PoorFileSystem) throws {
    service.change { $0.bytesPerSecondOfServer = 4e6 }
    let program = try SpawnedProgram(invocation(system, [server.url("/f")]))
    #expect(eventually { server.bodyBytesSent >= 3_000_000 || !program.isRunning })
    program.kill()
    #expect(program.wait().signal == SIGKILL)
    #expect(place.names == ["f.swiftget", "f.swiftget-part"])
    service.change { $0.bytesPerSecondOfServer = nil }
    let sent = server.bodyBytesSent
    let result = try run(system, "-v", server.url("/f"))
    #expect(result.status == 0 && place.names == ["f"] && place.holds("f", mediumFile), "\(result.told)")
    #expect(result.errorText.contains("resuming after") && server.bodyBytesSent - sent < mediumFile.byteCount)
  }

  /// A run that is downloading the file.
  private func startFirst(_ system: PoorFileSystem) throws -> SpawnedProgram {
    service.change { $0.bytesPerSecondOfServer = 1e6 }
    let first = try SpawnedProgram(invocation(system, [server.url("/f")]))
    #expect(eventually { place.names.contains("f.swiftget-part") })
    return first
  }

  @Test(arguments: PoorFileSystem.allCases)
  func `let one run at a time have a target`(system: PoorFileSystem) throws {
    let first = try startFirst(system)
    let second = try run(system, server.url("/f"))
    #expect(second.status == 75 && second.errorText.contains("(PID \(first.identifier))"), "\(second.told)")
    let third = try SpawnedProgram(invocation(system, ["-v", "--lock-wait", "1000", server.url("/f")]))
    #expect(eventually { third.errorSoFar.contains("for 1 file of other runs") }, "\(third.errorSoFar)")
    service.change { $0.bytesPerSecondOfServer = nil }
    let results = [first.wait(), third.wait()]
    #expect(results.map(\.status) == [0, 0], "\(results.map(\.told))")
    #expect(results[1].errorText.contains("f: already there"), "\(results[1].told)")
    #expect(place.names == ["f"] && place.holds("f", mediumFile))
  }

  @Test func `let a run have what a killed one held`() throws {
    let first = try startFirst(.network)
    let second = try SpawnedProgram(invocation(.network, ["--lock-wait", "1000", server.url("/f")]))
    #expect(eventually { second.errorSoFar.contains("for 1 file of other runs") }, "\(second.errorSoFar)")
    first.kill()
    _ = first.wait()
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = second.wait()
    #expect(result.status == 0 && place.names == ["f"] && place.holds("f", mediumFile), "\(result.told)")
  }

  /// As a run on another machine does, whose process nobody here knows.
  @Test func `end a run whose target another machine has taken`() throws {
    let first = try startFirst(.network)
    let descriptor = open(place.directory.path("f.swiftget"), O_WRONLY)
    let line = "pid 1 2 3".padding(to: 63) + "\n"
    #expect(pwrite(descriptor, line, line.utf8.count, 32768) == 64)
    close(descriptor)
    let result = first.wait()
    #expect(result.status == 75 && result.errorText.contains("another swiftget is downloading"), "\(result.told)")
    #expect(place.names == ["f.swiftget", "f.swiftget-part"], "\(place.names)")
  }

  @Test(arguments: ["flock", "O_TMPFILE", "fsetxattr", "renameat2", "fchmod", "futimens", "fsync"])
  func `are told from broken ones`(call: String) throws {
    var invocation = try place.invocation([server.url("/f"), server.url("/plain")])
    try invocation.fail([call: EIO])
    let result = try place.run(invocation)
    #expect(result.status == 3 && result.errorText.contains("Input/output error"), "\(call): \(result.told)")
    #expect(!place.names.contains("f") || place.holds("f", mediumFile))
  }

  @Test(arguments: ["fgetxattr", "syncfs", "sync_file_range", "fstatfs"])
  func `need no call that only saves time`(call: String) throws {
    try writeList()
    var invocation = try place.invocation(["-i", "list", "-d", "t"])
    try invocation.fail([call: EIO])
    let result = try place.run(invocation)
    #expect(result.status == 0, "\(call): \(result.told)")
    expectFiles(result.told)
  }
}

extension String {
  fileprivate func padding(to length: Int) -> String { self + String(repeating: " ", count: length - utf8.count) }
}
