import Glibc
import TestSupport
import Testing

/// Hooks, the log and records of runs with a session.
@Suite(.waiting) struct `Records and hooks of a session` {
  private let site: SessionWorkplace
  private var place: Workplace { site.place }

  init() throws {
    site = try SessionWorkplace()
    try site.place.script("hook", Self.hook)
  }

  private static let hook =
    "echo \"$1 ${SWIFTGET_PATH##*/} $SWIFTGET_OUTCOME $SWIFTGET_EXIT $SWIFTGET_SHA256\" >> told"

  private func url(_ name: String) -> String { site.server.url("/\(name)") }
  private var told: [String] { ((try? place.text("told")) ?? "").split(separator: "\n").map(String.init) }
  private var report: String { (try? place.text("report")) ?? "" }

  private static let hooks = [
    "--on-complete", "./hook done", "--on-failure", "./hook failed", "--on-exit", "./hook exit",
  ]

  private func run(_ arguments: [String]) throws -> ProgramResult { try place.run(site.invocation(arguments)) }

  @Test func `are those of a run without one`() throws {
    let files = ["-d", "data", url("a"), url("missing"), url("b")]
    let records = ["--report", "report", "--failed", "failed", "--log", "log"]
    let result = try run(["-S", "night"] + Self.hooks + records + files)
    #expect(result.status == 8, "\(result.told)")
    let digest = try Content.text("the first file\n").hexDigest()
    #expect(told.contains("done a downloaded 0 \(digest)") && told.contains("failed missing failed 8 "), "\(told)")
    #expect(told.count == 4 && told.last == "exit  failed 8 ", "\(told)")
    #expect(try place.text("failed").contains("missing"))
    #expect(!(try place.text("failed").contains(url("a"))))
    let log = try place.text("log")
    #expect(log.contains("swiftget: a: 15 B in") && log.contains("2 files downloaded"), "\(log)")
    #expect(log.contains("404") && log.contains("the run ends with status 8"), "\(log)")
    #expect(report.contains(#""status":8"#) && report.contains(#""downloaded":2,"kept":0,"failed":1"#), "\(report)")
    for (number, name) in ["a", "missing", "b"].enumerated() {
      #expect(
        report.contains(#""item":\#(number),"name":"\#(name)","path":"\#(place.directory.path("data/\(name)"))""#))
    }
    // What is there counts in the report, and no hook is run for it again. What has failed begins again.
    let count = site.server.requests.count
    try place.directory.write("told", [])
    let again = try run(["-S", "night"] + Self.hooks + ["--report", "report"] + files)
    #expect(again.status == 8 && site.server.requests.count == count + 1, "\(again.told)")
    #expect(report.contains(#""downloaded":0,"kept":2,"failed":1"#), "\(report)")
    #expect(told == ["failed missing failed 8 ", "exit  failed 8 "], "\(told)")
  }

  @Test func `a deadline ends the run and keeps the rest`() throws {
    site.service.change { $0.bytesPerSecondOfServer = 100_000 }
    let result = try run([
      "-S", "night", "--connections", "1", "--deadline", "1", "--report", "report", url("slow"), url("a"),
    ])
    #expect(result.status == 75 && result.errorText.contains("session night keeps"), "\(result.told)")
    #expect(report.contains(#""status":75"#) && report.contains(#""name":"slow","path""#), "\(report)")
    #expect(report.contains(#""unfinished":1"#) && report.contains(#""downloaded":1"#), "\(report)")
    site.service.change { $0.bytesPerSecondOfServer = nil }
    #expect(try run(["-S", "night"]).status == 0 && place.holds("slow", longerMediumFile))
  }

  @Test func `failures end the run if they are too many`() throws {
    site.service.change { $0.bytesPerSecondOfServer = 100_000 }
    let names = (0..<3).map { url("missing\($0)") }
    let result = try run(["-S", "night", "--connections", "1", "--max-failures", "1"] + names + [url("slow")])
    #expect(result.status == 8 && result.errorText.contains("more than --max-failures allows"), "\(result.told)")
    #expect(try site.ctl("list", "state:failed").outputText.split(separator: "\n").count > 2)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `a signal leaves a report and runs the last hook`(signal: Int32) throws {
    site.service.change { $0.bytesPerSecondOfServer = 100_000 }
    let first = try SpawnedProgram(
      site.invocation(
        ["-S", "night", "--connections", "1", "--report", "report", "--log", "log"] + Self.hooks + [url("slow")]))
    #expect(eventually { (try? site.ctl("status").outputText.contains("KiB of")) == true })
    first.kill(signal)
    let status = 128 + signal
    #expect(first.wait().status == status)
    #expect(report.contains(#""status":\#(status)"#) && report.contains(#""unfinished":1"#), "\(report)")
    #expect(told == ["exit  interrupted \(status) "], "\(told)")
    #expect(try place.text("log").contains("the run ends with status \(status)"))
  }

  @Test func `a failed hook fails the run`() throws {
    let result = try run(["-S", "night", "--on-complete", "false", url("a")])
    #expect(result.status == 1 && result.errorText.contains("1 of 1 hook failed"), "\(result.told)")
    #expect(place.names.contains("a"))
  }

  @Test func `the service runs hooks for every file, and ends with 0 whatever they do`() throws {
    let service = try SpawnedProgram(
      site.invocation(
        ["serve", "-S", "night", "--log", "log", "--on-failure", "false"] + Self.hooks.prefix(2) + Self.hooks.suffix(2))
    )
    #expect(eventually { service.errorSoFar.contains("works on session night") || !service.isRunning })
    #expect(try run(["-S", "night", url("a"), url("missing")]).status == 8)
    #expect(eventually { told.contains { $0.hasPrefix("done a downloaded 0 ") } }, "\(told)")
    // These belong to the process that works.
    for option in ["--log", "--report", "--failed", "--on-complete", "--deadline", "--max-failures"] {
      let refused = try run(["-S", "night", option, option == "--on-complete" ? "true" : "9", url("b")])
      #expect(
        refused.status == 3 && refused.errorText.contains("and \(option) is an option of the process"),
        "\(refused.told)")
    }
    #expect(!place.names.contains("b"))
    service.kill(SIGTERM)
    #expect(service.wait().status == 0)
    #expect(told.last == "exit  succeeded 0 ", "\(told)")
    #expect(try place.text("log").contains("the command of --on-failure"))
  }

  @Test func `a background process runs hooks where it was started`() throws {
    let result = try run(
      ["-S", "night", "--background", "--log", "log", "--hook-timeout", "9.5"] + Self.hooks + [
        url("a"), url("missing"),
      ])
    #expect(result.status == 0, "\(result.told)")
    #expect(eventually { told.last?.hasPrefix("exit") == true }, "\(told)")
    #expect(told.count == 3 && told.contains { $0.hasPrefix("done a ") }, "\(told)")
    #expect(told.contains("failed missing failed 8 ") && told.last == "exit  succeeded 0 ", "\(told)")
    #expect(eventually { (try? place.text("log").contains("1 file downloaded")) == true })
  }

  @Test func `hooks are kept with the files that are added, for whatever process works on them`() throws {
    try place.directory.makeDirectory("there")
    try place.script("there/hook", Self.hook)
    func run(_ arguments: [String]) throws -> ProgramResult {
      var invocation = try site.invocation(arguments)
      invocation.directory = place.directory.path("there")
      return try place.run(invocation)
    }
    var told: Set<String> { Set(((try? place.text("there/told")) ?? "").split(separator: "\n").map(String.init)) }
    let hooks = ["--on-complete", "./hook done", "--on-failure", "./hook 'it failed'"]
    let added = try run(["ctl", "-S", "night", "add"] + hooks + [url("a"), url("missing")])
    #expect(added.status == 0, "\(added.told)")
    #expect(try site.ctl("add", url("c")).status == 0)
    // The hooks of the process that works concern the files that have none.
    let service = try SpawnedProgram(site.invocation(["serve", "-S", "night", "--on-complete", "./hook other"]))
    let digest = try Content.text("the first file\n").hexDigest()
    let first: Set = ["done a downloaded 0 \(digest)", "it failed missing failed 8 "]
    #expect(eventually { told == first && self.told.count == 1 }, "\(told) \(self.told)")
    #expect(self.told.first?.hasPrefix("other c downloaded 0 ") == true, "\(self.told)")
    // Another process works on the session: the file is added there.
    let joined = try run(["-S", "night", "--background", "--on-complete", "./hook joined", url("b")])
    #expect(joined.status == 0, "\(joined.told)")
    #expect(eventually { told.count == 3 && told.contains { $0.hasPrefix("joined b downloaded ") } }, "\(told)")
    let refused = try run(["-S", "night", "--background", "--on-exit", "./hook end", url("slow")])
    #expect(
      refused.status == 3 && refused.errorText.contains("--on-exit is an option of the process"), "\(refused.told)")
    service.kill(SIGTERM)
    #expect(service.wait().status == 0 && self.told.count == 1)
    let missing = try run(["ctl", "-S", "night", "add", "--on-complete", "./none", url("slow")])
    #expect(missing.status == 2 && missing.errorText.contains("--on-complete: cannot run ./none"), "\(missing.told)")
  }

  @Test func `a hook that is kept with a file runs after a restart, and once`() throws {
    #expect(
      try site.ctl("add", "--on-complete", "./hook done", "--on-failure", "false", url("a"), url("missing")).status == 0
    )
    let result = try run(["-S", "night"])
    #expect(result.status == 8 && result.errorText.contains("1 of 2 hooks failed"), "\(result.told)")
    #expect(told.count == 1 && told[0].hasPrefix("done a downloaded 0 "), "\(told)")
    #expect(try run(["-S", "night"]).status == 0 && told.count == 1)
    // What is tried again ends again.
    #expect(try site.ctl("retry", "state:failed").status == 0)
    let again = try run(["-S", "night"])
    #expect(again.status == 8 && again.errorText.contains("1 of 1 hook failed"), "\(again.told)")
    #expect(told.count == 1)
  }

  @Test(arguments: [
    (["--background", "--report", "r"], "--report contradicts --background"),
    (["--background", "--deadline", "9"], "--deadline contradicts --background"),
    (["--on-complete", "./missing"], "cannot run ./missing"),
  ]) func `that cannot be are refused before anything begins`(options: [String], message: String) throws {
    let result = try run(["-S", "night"] + options + [url("a")])
    #expect(result.status == 2 && result.errorText.contains(message), "\(result.told)")
    #expect(site.server.requests.isEmpty && !fileExists(site.home.path("swiftget/night")))
  }

  @Test func `without files there is nothing to list`() throws {
    let result = try run(["-S", "night", "--report", "report"])
    #expect(
      result.status == 2 && result.errorText.contains("--report lists the files of the command line"), "\(result.told)")
    let frozen = try run(["-S", "night", "--frozen", "list"])
    #expect(frozen.status == 2 && frozen.errorText.contains("--frozen is about the files"), "\(frozen.told)")
    let added = try run(["ctl", "add", "-S", "night", "--log", "log", url("a")])
    #expect(added.status == 2 && added.errorText.contains("ctl add takes no --log"), "\(added.told)")
  }
}
