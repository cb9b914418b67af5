import TestSupport
import Testing

/// `--max-failures`.
@Suite(.waiting) struct `Too many failures` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let small = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    let names = (0..<30).map { "/good\($0)" }
    let contents = names.map { ($0, Self.small) } + [("/slow", mediumFile)]
    let files = FileService(Dictionary(uniqueKeysWithValues: contents)) { $0.bytesPerSecondOfConnection = 1e6 }
    // Some of the slow file has arrived before enough others have failed.
    server = try ScriptedServer { request in
      (request.path.hasPrefix("/bad") ? [.stall(.milliseconds(100))] : []) + files.steps(for: request)
    }
  }

  private func write(_ paths: [String]) throws {
    try place.directory.write("list", paths.map { server.url("/" + $0) + "\n" }.joined())
  }

  @Test func `end the run, and leave what was active resumable and the rest not started`() throws {
    try write(["slow"] + (0..<50).map { "bad\($0)" } + ["good1"])
    let arguments = ["-j", "2", "-i", "list", "--failed", "failed", "--report", "report"]
    let result = try place.run(place.invocation(arguments + ["--max-failures", "3"]))
    #expect(result.status == 8, "\(result.told)")
    #expect(result.errorText.contains("stopped: 4 files failed, more than --max-failures allows"), "\(result.told)")
    #expect(result.errorText.contains("4 failed, 1 unfinished, 47 not started"), "\(result.told)")
    #expect(server.requests.count { $0.path.hasPrefix("/bad") } == 4)
    let report = try ReadReport(try place.text("report"))
    #expect(report.status == 8 && report.total("failed") == 4 && report.total("not_started") == 47)
    #expect(try report.item("slow").outcome == "unfinished")
    let lines = try place.text("failed").split(separator: "\n")
    #expect(lines.count == 104 && lines.count { $0.hasSuffix(": not started") } == 47)
    #expect(lines[0] == "# slow: unfinished", "\(lines[0])")
    #expect(place.names.contains("slow.swiftget-part"), "\(place.names)")
    let size = try report.item("slow").number("bytes_done") ?? 0
    let again = try place.run("-v", server.url("/slow"))
    #expect(size > 0 && again.status == 0 && place.holds("slow", mediumFile), "\(again.told)")
    #expect(again.errorText.contains("resuming after \(size) bytes"), "\(again.told)")
  }

  @Test(arguments: [("4", true), ("5", false), ("2%", true), ("3%", false), ("100%", false)])
  func `are more than were allowed`(limit: String, isStopped: Bool) throws {
    // Five of 225 fail, which is more than 2 %. Files that are there end at once, as a share needs.
    for number in 0..<20 { try place.directory.write("g\(number)", "") }
    func good(_ numbers: Range<Int>) -> [String] { numbers.map { "good0?\($0)\n out=g\($0)" } }
    try write((0..<4).map { "bad\($0)" } + good(0..<20) + ["bad4"] + good(20..<220))
    let result = try place.run(
      "-j", "1", "-i", "list", "--report", "report", "--if-exists", "keep", "--max-failures", limit)
    #expect(result.status == 8 && result.errorText.contains("stopped: ") == isStopped, "\(result.told)")
    let report = try ReadReport(try place.text("report"))
    #expect(report.total("failed") == 5 && (report.total("not_started") ?? 0 > 0) == isStopped, "\(result.told)")
  }

  @Test(arguments: ["", "x", "101%", "-1", "1.5"]) func `are a whole number or a share`(text: String) throws {
    let result = try place.run("--max-failures", text, server.url("/good1"))
    #expect(result.status == 2 && result.errorText.contains("--max-failures: "), "\(result.told)")
  }
}
