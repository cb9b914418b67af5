import DownloadCore
import TestSupport
import Testing

import CommandDisplay

@testable import CommandMain
@testable import CommandOptions
@testable import DownloadWords

@Suite struct `Plain lines` {
  private func outcome(_ result: Outcome.Result, received: Int64 = 1_288_490_189) -> Outcome {
    Outcome(
      task: 0, name: Array("a.iso".utf8), location: example("a.iso"), result: result,
      byteCount: 1_288_490_189, received: ReceivedBytes(received), status: nil,
      verified: .found(ContentDigest(.sha256, repeating: 7)), elapsed: .milliseconds(3400),
      source: nil)
  }

  private let failure = Outcome.Result.failed(
    Failure(.serverRefused, "GET https://example.org/a.iso: 404\u{1b}[31m", hint: "is the name right?"))

  /// The log of a run with these events.
  private func text(_ level: DetailLevel, _ events: (LinesDisplay) -> Void) -> String {
    let captured = CapturedOutput()
    let display = LinesDisplay(output: captured.output, level: level)
    events(display)
    display.flush()
    return captured.text()
  }

  @Test func `a long run tells its totals after 1, 2, 5, 10 and 30 minutes, then every 30`() {
    func told(_ level: DetailLevel) -> [Int] {
      let captured = CapturedOutput()
      let display = LinesDisplay(output: captured.output, level: level)
      var run = RunProgress()
      (run.itemCount, run.downloadedCount) = (97, 23)
      run.limitingHosts = [HostLimit(example("a").origin, .pause(.seconds(7)))]
      return (0...(130 * 6)).filter { step in
        run.elapsed = .seconds(step * 10)
        display.progressed(run)
        let text = captured.text()
        if text.isEmpty { return false }
        let end = " done, 0 in progress over 0 connections at 0 B/s; https://example.org asks for a pause: 0:07 left\n"
        #expect(text == "swiftget: 23 of 97 files done, 0 B" + end)
        return true
      }.map { $0 / 6 }
    }
    #expect(told(.normal) == [1, 2, 5, 10, 30, 60, 90, 120])
    #expect(told(.failures) == [] && told(.warnings) == [])
    #expect(LinesDisplay(output: CapturedOutput().output, level: .failures).progressInterval == nil)
  }

  @Test(arguments: [true, false]) func `failures of a few files say how to go on, where a person looks`(isShown: Bool) {
    let captured = CapturedOutput()
    let display = LinesDisplay(
      output: captured.output, level: .normal, style: Recap.Style(suggestsRepetition: isShown))
    display.began(itemCount: 3)
    display.itemEnded(outcome(.failed(Failure(.transfer(.status(404), at: example("a"), attempts: 0)))))
    var run = RunProgress()
    (run.failedCount, run.downloadedCount) = (1, 2)
    display.ended(summary: run, status: .serverRefused, interrupted: false)
    let hint = "hint: run the same command again for the files that failed; it keeps the others\n"
    #expect(captured.text().hasSuffix(hint) == isShown)
  }

  @Test func `a downloaded file is one line`() {
    #expect(
      text(.normal) { $0.itemEnded(outcome(.downloaded)) }
        == "swiftget: a.iso: 1.2 GiB in 3.4 s (361 MiB/s), sha256 verified (given)\n")
  }

  @Test func `a resumed file reports the bytes of this run`() {
    #expect(
      text(.normal) { $0.itemEnded(outcome(.downloaded, received: 100 << 20)) }
        == "swiftget: a.iso: 1.2 GiB, 100 MiB of it now, in 3.4 s (29 MiB/s), sha256 verified (given)\n")
  }

  @Test func `a failure is reported with its hint, escaped, at every level`() {
    for level in [DetailLevel.failures, .warnings, .normal, .details] {
      #expect(
        text(level) { $0.itemEnded(outcome(failure)) }
          == "swiftget: a.iso: GET https://example.org/a.iso: 404\\x1b[31m\nhint: is the name right?\n")
    }
  }

  private func failed(_ cause: Failure.Cause, times: Int, _ display: LinesDisplay) {
    for _ in 0..<times { display.itemEnded(outcome(.failed(Failure(cause)))) }
  }

  @Test func `the same hint is printed once`() {
    let text = text(.normal) { display in
      failed(.transfer(.status(404), at: example("a"), attempts: 0), times: 3, display)
      failed(.transfer(.connectRefused(), at: example("a"), attempts: 5), times: 2, display)
      let hint = FaultMessages.hint(.connectRefused(), at: example("a"), isSaved: outcome(.downloaded).byteCount > 0)?
        .text(in: .command)
      #expect(display.hasShown(hint: hint ?? ""))
      #expect(!display.hasShown(hint: "another"))
    }
    let lines = text.split(separator: "\n")
    #expect(lines.count == 7 && lines.count { $0.hasPrefix("hint: ") } == 2, "\(text)")
    #expect(lines[1].hasPrefix("hint: ") && lines[5].hasPrefix("hint: "), "\(text)")
  }

  /// What a run with these failures says without hints and lines of its files.
  private func recap(
    _ level: DetailLevel, _ style: Recap.Style = Recap.Style(), _ events: (LinesDisplay) -> Void
  ) -> [Substring] {
    let captured = CapturedOutput()
    let display = LinesDisplay(output: captured.output, level: level, style: style)
    display.began(itemCount: 500)
    events(display)
    var run = RunProgress()
    run.failedCount = 463
    run.elapsed = .seconds(2)
    display.ended(summary: run, status: .serverRefused, interrupted: false)
    return captured.text().split(separator: "\n").filter { !$0.hasPrefix("swiftget: a.iso: ") }
  }

  @Test(arguments: [DetailLevel.failures, .warnings, .normal, .details])
  func `failures are named at the end, grouped by their kind`(level: DetailLevel) {
    let lines = recap(level, Recap.Style(suggestsFailedList: true)) { display in
      failed(.transfer(.status(403), at: example("a"), attempts: 0), times: 2, display)
      failed(.transfer(.status(404), at: example("a"), attempts: 0), times: 439, display)
      failed(.mismatch(mismatch, failures: 2), times: 22, display)
    }
    func names(_ count: Int) -> String { String(repeating: "  a.iso\n", count: count) }
    let told = lines.drop { $0.hasPrefix("hint: ") }.map { $0 + "\n" }.joined()
    #expect(
      told == "swiftget: 439 files failed: the server returned 404 Not Found\n" + names(439)
        + "swiftget: 22 files failed: the content does not match\n" + names(22)
        + "swiftget: 2 files failed: the server returned 403 Forbidden\n" + names(2)
        + "swiftget: 0 files downloaded, 463 failed\n"
        + "swiftget: 439 failed: the server returned 404 Not Found\n"
        + "swiftget: 22 failed: the content does not match\n"
        + "swiftget: 2 failed: the server returned 403 Forbidden\n"
        + "hint: --failed FILE lists all of them for another run\n")
  }

  @Test(arguments: [(DetailLevel.normal, 20), (.details, 21)])
  func `the twenty-first failure of a kind is a detail`(level: DetailLevel, count: Int) {
    let text = text(level) { failed(.mismatch(mismatch, failures: 2), times: 21, $0) }
    #expect(text.split(separator: "\n").count { $0.hasPrefix("swiftget: a.iso: ") } == count)
  }

  @Test func `the list of failed files is suggested where there are many and it could have been made`() {
    for (style, times) in [(Recap.Style(), 11), (Recap.Style(suggestsFailedList: true), 10)] {
      let lines = recap(.failures, style) {
        failed(.transfer(.status(404), at: example("a"), attempts: 0), times: times, $0)
      }
      #expect(!lines.contains { $0.contains("--failed") }, "\(lines)")
    }
  }

  @Test func `kinds beyond the twentieth are one line below the counts`() {
    let lines = recap(.normal) { display in
      for status in 400..<425 {
        failed(.transfer(.status(status), at: example("a"), attempts: 0), times: 1, display)
      }
    }
    #expect(lines.count { $0.contains("1 file failed: ") } == 25)
    #expect(lines.count { $0.contains(" 1 failed: ") } == 20)
    #expect(lines.last == "swiftget: 5 files failed for 5 other reasons", "\(lines)")
  }

  @Test(arguments: [
    (0, ""), (1, "swiftget: the file is already there\n"),
    (7, "swiftget: all 7 files are already there\n"),
  ])
  func `a run with nothing to do has a line where that is wanted`(kept: Int, told: String) {
    var run = RunProgress()
    run.keptCount = kept
    for (style, text) in [(Recap.Style(tellsIdleRuns: true), told), (Recap.Style(), "")] {
      let captured = CapturedOutput()
      let display = LinesDisplay(output: captured.output, level: .normal, style: style)
      display.began(itemCount: kept)
      display.ended(summary: run, status: .success, interrupted: false)
      #expect(captured.text() == text)
    }
  }

  private var mismatch: DigestMismatch {
    DigestMismatch(
      expected: ContentDigest(.sha256, repeating: 1), actual: ContentDigest(.sha256, repeating: 2), range: nil)
  }

  @Test func `kept files and starts are details`() {
    func events(_ display: LinesDisplay) {
      display.itemStarted(0, name: Array("a.iso".utf8), location: example("a.iso"))
      display.itemEnded(outcome(.kept))
    }
    #expect(text(.normal, events) == "")
    #expect(
      text(.details, events)
        == "swiftget: a.iso: from https://example.org/a.iso\nswiftget: a.iso: already there, sha256 verified (given)\n")
  }

  @Test(arguments: [
    (DetailLevel.failures, []), (.warnings, ["warning: w"]), (.normal, ["n", "warning: w"]),
    (.details, ["d", "n", "warning: w"]),
  ])
  func `notices appear from their level on`(level: DetailLevel, shown: [String]) {
    let text = text(level) { display in
      for (noticeLevel, words) in [(Notice.Level.detail, "d"), (.note, "n"), (.warning, "w")] {
        display.noticed(Notice(task: nil, name: nil, level: noticeLevel, .failed(Failure(.localIO, words))))
      }
    }
    #expect(text == shown.map { "swiftget: \($0)\n" }.joined())
  }

  @Test func `interrupted items are reported by the last line only`() {
    let captured = CapturedOutput()
    let display = LinesDisplay(output: captured.output, level: .normal)
    display.began(itemCount: 1)
    display.itemEnded(outcome(.failed(Failure(.interrupted, "interrupted"))))
    display.ended(summary: RunProgress(), status: .interrupted, interrupted: true)
    #expect(captured.text() == "swiftget: interrupted; run the same command again to continue\n")
  }

  @Test(arguments: [
    (1, 1, 0, 0, ""), (3, 0, 3, 0, ""),
    (3, 2, 1, 0, "swiftget: 2 files downloaded, 2.0 MiB in 2.0 s (1.0 MiB/s), 1 already there\n"),
    (3, 1, 0, 2, "swiftget: 1 file downloaded, 2.0 MiB in 2.0 s (1.0 MiB/s), 2 failed\n"),
  ])
  func `several items with an active one have a summary`(
    items: Int, downloaded: Int, kept: Int, failed: Int, text: String
  ) {
    var run = RunProgress()
    run.downloadedCount = downloaded
    run.keptCount = kept
    run.failedCount = failed
    run.receivedByteCount = 2 << 20
    run.elapsed = .seconds(2)
    let captured = CapturedOutput()
    let display = LinesDisplay(output: captured.output, level: .normal)
    display.began(itemCount: items)
    display.ended(summary: run, status: .success, interrupted: false)
    #expect(captured.text() == text)
  }

  @Test func `the summary of a stopped run counts unstarted items`() {
    var run = RunProgress()
    run.downloadedCount = 2
    run.failedCount = 1
    run.unfinishedCount = 3
    run.unstartedCount = 94
    let captured = CapturedOutput()
    let display = LinesDisplay(output: captured.output, level: .normal)
    display.began(itemCount: 100)
    display.ended(summary: run, status: .localIO, interrupted: false)
    #expect(captured.text() == "swiftget: 2 files downloaded, 1 failed, 3 unfinished, 94 not started\n")
  }

  @Test func `quiet runs have no summary and no last line`() {
    var run = RunProgress()
    run.downloadedCount = 2
    let captured = CapturedOutput()
    let display = LinesDisplay(output: captured.output, level: .failures)
    display.began(itemCount: 2)
    display.itemEnded(outcome(.downloaded))
    display.ended(summary: run, status: .interrupted, interrupted: true)
    #expect(captured.text() == "")
  }
}

@Suite struct `The choice of a display` {
  private let terminal = Terminal(isUnicode: false, size: { .init(columns: 80, rows: 24) })

  private func display(_ arguments: [String], terminal: Terminal?) throws -> any Display {
    let command = try Command(arguments: (arguments + ["https://example.org/a"]).map { Array($0.utf8) })
    guard case .run(let invocation) = command else { throw Failure(.other, "no run") }
    return invocation.makeDisplay(
      standardOutput: CapturedOutput().output, standardError: CapturedOutput().output, terminal: terminal)
  }

  @Test func `a bar needs a terminal and a level above quiet`() throws {
    #expect(try display([], terminal: terminal) is BarDisplay)
    #expect(try display([], terminal: nil) is LinesDisplay)
    #expect(try display(["--progress", "bar"], terminal: nil) is LinesDisplay)
    #expect(try display(["-nv"], terminal: terminal) is LinesDisplay)
    #expect(try display(["-q"], terminal: terminal) is LinesDisplay)
    #expect(try display(["--progress=none"], terminal: terminal) is LinesDisplay)
    #expect(try display(["--progress=json"], terminal: terminal) is JSONDisplay)
  }
}
