import Glibc
import TestSupport
import Testing

/// A list whose files are all there, again.
@Suite(.waiting) struct `A finished list` {
  private let place: Workplace
  private let cache: TemporaryDirectory
  private let service: FileService
  private let server: ScriptedServer
  private static let count = 1200

  init() throws {
    place = try Workplace()
    cache = try TemporaryDirectory()
    service = FileService(
      Dictionary(uniqueKeysWithValues: (0..<Self.count).map { ("/\($0)", Content.text("content \($0)")) }))
    server = try ScriptedServer(service)
    try place.directory.write("list", (0..<Self.count).map { "\(server.url("/\($0)"))\n" }.joined())
  }

  private func run(_ arguments: String...) throws -> ProgramResult {
    var invocation = try place.invocation(["-d", "t", "-i", "list"] + arguments)
    invocation.environment["XDG_CACHE_HOME"] = cache.path
    invocation.environment["HOME"] = cache.path
    return try place.run(invocation)
  }

  /// A run after which the next one need not read the list: the list has not changed for some time.
  private func finish() throws {
    pause(seconds: 3.1)
    let result = try run("--changed-exit", "42")
    #expect(result.status == 42 && server.requests.count == Self.count, "\(result.told)")
  }

  /// Whether the list is read. The command is the same as the one before.
  private func readsList(_ arguments: String...) throws -> (reads: Bool, result: ProgramResult) {
    var invocation = ProgramInvocation(
      "/usr/bin/strace",
      ["-f", "-e", "trace=open,openat", "-o", place.directory.path("trace"), try swiftgetPath()] + Workplace.patience
        + ["-d", "t", "-i", "list"] + arguments)
    invocation.directory = place.directory.path
    // LeakSanitizer does not work under strace.
    invocation.environment = [
      "XDG_CACHE_HOME": cache.path, "HOME": cache.path, "ASAN_OPTIONS": "detect_leaks=0",
    ]
    let result = try place.run(invocation)
    return (try place.text("trace").contains("\"list\""), result)
  }

  @Test func `is not read again, and says and returns the same`() throws {
    try finish()
    let again = try readsList("--changed-exit", "42")
    #expect(!again.reads && again.result.status == 0 && again.result.errorText.isEmpty, "\(again.result.told)")
    // Other options, and those that tell of each file, read it.
    #expect(try readsList("--changed-exit", "43").reads)
    for _ in 0..<2 {
      let told = try run("-v", "--changed-exit", "42")
      #expect(told.status == 0 && told.errorText.split(separator: "\n").count >= Self.count, "\(told.told.prefix(500))")
    }
    let report = try run("--report", "report", "--changed-exit", "42")
    #expect(try report.status == 0 && ReadReport(place.text("report")).total("kept") == Self.count)
    #expect(server.requests.count == Self.count, "no request")
  }

  @Test func `is read, and what is missing is fetched, where a file has changed`() throws {
    try finish()
    unlink(place.directory.path("t/77"))
    try place.directory.write("t/78", "contend 78")
    let result = try run("--changed-exit", "42")
    #expect(result.status == 42 && place.holds("t/77", .text("content 77")), "\(result.told)")
    #expect(server.requests.count == Self.count + 2, "the file, and a question about the length of the other one")
  }

  @Test func `is read where it has changed, even with its old length and time`() throws {
    try finish()
    let changed = try ProgramInvocation.shell(
      "cd '\(place.directory.path)' && touch -r list time && sed -i 's,/1199$,/1198?,' list && touch -r time list && "
        + "rm time")
    #expect(changed.status == 0)
    let again = try readsList("--changed-exit", "42")
    #expect(again.reads && again.result.status != 0, "\(again.result.told)")
  }
}
