import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import CommandMain
@testable import DownloadEvents
@testable import DownloadLists
@testable import DownloadWords

@Suite(.waiting) struct `A log` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func log(_ name: String = "log", clock: @escaping () -> Int64 = { 0 }) throws -> RunLog {
    try RunLog(path: Array(directory.path(name).utf8), clock: clock)
  }

  private func text(_ name: String = "log") throws -> String {
    String(decoding: try directory.read(name), as: UTF8.self)
  }

  private func stamp(_ second: Int64) -> String {
    Timestamp.text(unixTime: second, offset: Timestamp.localOffset(unixTime: second))
  }

  @Test func `has the time before each line`() throws {
    var second: Int64 = 1_767_268_800
    let log = try log { second * 1000 }
    log.add("swiftget: a\nhint: b\n")
    second += 1
    log.add("")
    log.add("swiftget: c\n")
    #expect(try text() == "")
    log.flush()
    let (first, next) = (stamp(second - 1), stamp(second))
    #expect(try text() == "\(first) swiftget: a\n\(first) hint: b\n\(next) swiftget: c\n")
    log.flush()
    #expect(try text().split(separator: "\n").count == 3)
  }

  @Test func `is appended to, also by two runs, and after it was truncated`() throws {
    try directory.write("log", "before\n")
    let (one, two) = (try log(), try log())
    for log in [one, two, one] {
      log.add("x\n")
      log.flush()
    }
    #expect(try text() == "before\n" + String(repeating: "\(stamp(0)) x\n", count: 3))
    #expect(truncate(directory.path("log"), 0) == 0)
    one.add("y\n")
    one.flush()
    #expect(try text() == "\(stamp(0)) y\n")
  }

  @Test func `has the mode that the umask leaves`() throws {
    _ = try log()
    let mask = umask(0o022)
    umask(mask)
    var status = stat()
    #expect(stat(directory.path("log"), &status) == 0 && status.st_mode & 0o777 == 0o666 & ~mask)
  }

  @Test func `tells its first failure only`() throws {
    let log = try RunLog(path: Array("/dev/full".utf8))
    var told: [Diagnostic] = []
    log.failed = { told.append($0) }
    for _ in 0..<3 {
      log.add("x\n")
      log.flush()
    }
    #expect(
      told.map(\.message)
        == ["warning: cannot write the log /dev/full: No space left on device; lines of it are lost"])
  }

  @Test func `that is a pipe without a reader does not block, and keeps what fits`() throws {
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    let log = try log("pipe")
    var told = 0
    log.failed = { _ in told += 1 }
    let line = String(repeating: "x", count: 1000) + "\n"
    let started = ContinuousClock.now
    log.add(line)
    log.flush()
    #expect(told == 0)
    for _ in 0..<100 {
      log.add(line)
      log.flush()
    }
    #expect(told == 1 && ContinuousClock.now - started < .seconds(20))
    let reader = open(directory.path("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    #expect(read(reader, &buffer, buffer.count) > 1000)
    // A line that was cut is ended before the next one.
    log.add("last\n")
    log.flush()
    let count = read(reader, &buffer, buffer.count)
    #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self).hasSuffix("\n\(stamp(0)) last\n") || count == 31)
  }

  @Test func `waits for a reader that is at work`() throws {
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    var told = 0
    let line = String(repeating: "x", count: 999) + "\n"
    let reader: SpawnedProgram
    do {
      let log = try RunLog(path: Array(directory.path("pipe").utf8), patience: 60_000, clock: { 0 })
      log.failed = { _ in told += 1 }
      reader = try SpawnedProgram("/bin/cat", [directory.path("pipe")])
      // Before it has opened the pipe, its end would be that of our log.
      log.add("first\n")
      log.flush()
      #expect(eventually { !reader.outputSoFar.isEmpty })
      for _ in 0..<300 { log.add(line) }
      log.flush()
    }
    #expect(told == 0 && reader.wait().outputText.split(separator: "\n").count == 301)
  }

  @Test func `that cannot be opened is a usage error with its name`() throws {
    for (name, reason) in [("none/log", "No such file or directory"), (".", "Is a directory")] {
      #expect(
        throws: Failure(.usage, words: "\(.log): cannot write \(directory.path(name)): \(reason)", about: ["\(.log)"])
      ) { try log(name) }
    }
  }
}

@Suite(.waiting) struct `A run in a log` {
  @Test(arguments: [DetailLevel.normal, .details])
  func `is its events where JSON is wanted, without progress and, unless asked for, details`(level: DetailLevel) throws
  {
    let directory = try TemporaryDirectory()
    let log = try RunLog(path: Array(directory.path("log").utf8), format: .json, clock: { 1_700_000_000_042 })
    let display = LoggedDisplay(
      display: LinesDisplay(output: CapturedOutput().output, level: .failures), log: log, level: level,
      directory: Array("/d".utf8))
    display.began(itemCount: 2)
    display.read([ReadList(name: "L")])
    display.itemStarted(0, name: Array("a".utf8), location: example("a"))
    display.noticed(Notice(task: nil, name: nil, level: .detail, .rangesUnsupported))
    display.noticed(Notice(task: nil, name: nil, level: .warning, .notStarted))
    #expect(try String(decoding: directory.read("log"), as: UTF8.self).contains("notice"), "it is there at once")
    for (item, result) in [Outcome.Result.kept, .failed(Failure(.network, "no", hint: "h"))].enumerated() {
      display.itemEnded(
        Outcome(
          task: TaskID(position: item), name: Array("a".utf8), location: example("a"), result: result, byteCount: 0,
          received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero, source: nil))
    }
    display.progressed(RunProgress())
    log.add("swiftget: one\nhint: \"two\"\n")
    display.ended(summary: RunProgress(), status: .network, interrupted: false)
    log.end(.network)
    let lines = String(decoding: try directory.read("log"), as: UTF8.self).split(separator: "\n")
    let names = lines.map { $0.dropFirst(#"{"type":""#.count).prefix { $0 != "\"" } }
    let all = [
      "start", "list", "item_start", "notice", "notice", "item_end", "item_end", "message", "message", "end", "exit",
    ]
    #expect(
      names.map(String.init) == (level == .details ? all : ["start", "list", "notice", "item_end"] + all.suffix(4)))
    #expect(lines.allSatisfy { $0.contains(#","time":""#) })
    #expect(
      lines.suffix(4).first == #"{"type":"message","time":"2023-11-14T22:13:20.042Z","message":"swiftget: one"}"#)
    #expect(lines.suffix(3).first?.hasSuffix(#""message":"hint: \"two\""}"#) == true)
    #expect(lines.last == #"{"type":"exit","time":"2023-11-14T22:13:20.042Z","status":4}"#)
    #expect(lines.contains { $0.contains(#""path":"/d/a""#) && $0.contains(#""code":"network""#) })
  }

  @Test func `is told beside its display, however silent that is`() throws {
    let directory = try TemporaryDirectory()
    let captured = CapturedOutput()
    let log = try RunLog(path: Array(directory.path("log").utf8), clock: { 0 })
    let display = LoggedDisplay(
      display: LinesDisplay(output: captured.output, level: .failures), log: log, level: .details)
    display.began(itemCount: 1)
    display.itemStarted(0, name: Array("a\u{1b}".utf8), location: example("a?sig=S3CR3T"))
    display.noticed(Notice(task: nil, name: nil, level: .detail, .rangesUnsupported))
    let outcome = Outcome(
      task: 0, name: Array("a".utf8), location: example("a"), result: .failed(Failure(.network, "no", hint: "h")),
      byteCount: 0, received: ReceivedBytes(0), status: nil, verified: nil, elapsed: .zero, source: nil)
    display.itemEnded(outcome)
    #expect(display.hasShown(hint: "h"))
    display.statusAsked(RunProgress())
    display.ended(summary: RunProgress(), status: .interrupted, interrupted: true)
    // What was asked for is shown all the same.
    let state = "swiftget: 0 files done, 0 B done, 0 in progress over 0 connections at 0 B/s\n"
    #expect(captured.text() == "swiftget: a: no\nhint: h\n" + state)
    let lines = String(decoding: try directory.read("log"), as: UTF8.self).split(separator: "\n")
    let stamp = Timestamp.text(unixTime: 0, offset: Timestamp.localOffset(unixTime: 0))
    #expect(lines.allSatisfy { $0.hasPrefix(stamp + " ") })
    let words = lines.map { $0.dropFirst(stamp.count + 1) }
    #expect(words[0] == "swiftget: the run begins: 1 file" && words[1].hasPrefix("swiftget: a\\x1b: from https://"))
    #expect(words[2].contains("ranges") && words[3] == "swiftget: a: no" && words[4] == "hint: h")
    #expect(words[5].contains("files done") && words[6].contains("interrupted") && words.count == 7)
  }
}
