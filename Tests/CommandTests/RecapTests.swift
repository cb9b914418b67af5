import DownloadCore
import TestSupport
import Testing

@testable import CommandMain
@testable import DownloadEvents
@testable import DownloadScratch
@testable import DownloadWords

@Suite struct `The recap of a run` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func error(_ status: Int) -> Failure {
    Failure(.transfer(.status(status), at: example("a"), attempts: 0))
  }

  private func lines(_ stores: TemporaryStores = TemporaryStores(), suggestsFailedList: Bool = false) -> RunLines {
    RunLines(
      level: .failures, style: Recap.Style(suggestsFailedList: suggestsFailedList), stores: stores)
  }

  private func fail(_ name: String, _ status: Int, _ lines: inout RunLines) {
    _ = lines.ended(
      Outcome(
        task: 0, name: Array(name.utf8), location: example("a"), result: .failed(error(status)), byteCount: 0,
        received: ReceivedBytes(0), status: status, verified: nil, elapsed: .zero, source: nil))
  }

  /// What a run says at its end.
  private func text(_ lines: RunLines, failedCount: Int) -> String {
    var run = RunProgress()
    run.failedCount = failedCount
    run.downloadedCount = 3
    var text = ""
    lines.listFailures(run) { line in
      text += line
      return true
    }
    return text + lines.summary(run, interrupted: false)
  }

  /// Random failures of random causes: those of a cause in the order in which they failed, causes by how many they have.
  private func failures(
    _ generator: inout SeededGenerator
  ) -> (all: [(name: String, status: Int)], ranked: [(status: Int, names: [String])]) {
    let statuses = (400..<500).shuffled(using: &generator).prefix(Int.random(in: 1...30, using: &generator))
    let all = (0..<Int.random(in: 2...2000, using: &generator)).map { number in
      let length = Int.random(in: 0..<20, using: &generator) == 0 ? 3000 : Int.random(in: 0..<40, using: &generator)
      // The first causes are the commonest.
      let place = Int.random(in: 0..<statuses.count, using: &generator)
      let status = statuses[Int.random(in: 0...place, using: &generator)]
      return (name: String(repeating: "ä", count: length) + "\(number)", status: status)
    }
    var groups: [(status: Int, names: [String])] = []
    for (name, status) in all {
      if let place = groups.firstIndex(where: { $0.status == status }) {
        groups[place].names.append(name)
      } else {
        groups.append((status, [name]))
      }
    }
    let ranked = groups.enumerated().sorted {
      ($1.element.names.count, $0.offset) < ($0.element.names.count, $1.offset)
    }
    return (all, ranked.map(\.element))
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `names each failure once, under its cause`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (all, ranked) = failures(&generator)
    var lines = lines(
      TemporaryStores(
        directory: Array(directory.path.utf8), memoryLimit: Int.random(in: 1...2_000_000, using: &generator)))
    for (name, status) in all { fail(name, status, &lines) }
    let recap = ReadRecap(text(lines, failedCount: all.count))
    #expect(
      recap.groups
        == ranked.map { status, names in
          ReadRecap.Group(count: names.count, cause: FailureKind(error(status)).words, names: names)
        })
    #expect(recap.counts == "swiftget: 3 files downloaded, \(all.count) failed")
    #expect(directory.names().isEmpty)
    guard all.count > 10 else { return #expect(recap.last.isEmpty) }
    var last = ranked.prefix(20).map { status, names in
      "swiftget: \(names.count) failed: \(FailureKind(error(status)).words)"
    }
    if ranked.count > 20 {
      let count = ranked.dropFirst(20).reduce(0) { $0 + $1.names.count }
      last.append("swiftget: \(count == 1 ? "1 file" : "\(count) files") failed for \(ranked.count - 20) other reasons")
    }
    #expect(recap.last == last)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `names the first failures where there is no room for the others`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (all, ranked) = failures(&generator)
    var lines = lines(TemporaryStores(directory: Array(directory.path("none").utf8), memoryLimit: 10_000))
    for (name, status) in all { fail(name, status, &lines) }
    let recap = ReadRecap(text(lines, failedCount: all.count))
    #expect(recap.groups.count == ranked.count)
    for (group, (status, names)) in zip(recap.groups, ranked) {
      #expect(group.cause == FailureKind(error(status)).words && group.count == names.count)
      #expect(group.names.count >= min(names.count, 10) && group.names == Array(names.prefix(group.names.count)))
      #expect(group.names.count + group.otherCount == names.count)
    }
    #expect(recap.counts == "swiftget: 3 files downloaded, \(all.count) failed")
  }

  @Test func `has few names below their causes, and many above the counts`() {
    var few = lines(suggestsFailedList: true)
    var many = lines(suggestsFailedList: true)
    for number in 0..<10 { fail("f\(number)", number == 3 ? 404 : 403, &few) }
    for number in 0..<11 { fail("f\(number)", number == 3 ? 404 : 403, &many) }
    let (forbidden, missing) = ("the server returned 403 Forbidden", "the server returned 404 Not Found")
    func names(_ end: Int) -> String { (0..<end).filter { $0 != 3 }.map { "  f\($0)\n" }.joined() }
    #expect(
      text(few, failedCount: 10)
        == "swiftget: 3 files downloaded, 10 failed\n"
        + "swiftget: 9 files failed: \(forbidden)\n\(names(10))swiftget: 1 file failed: \(missing)\n  f3\n")
    #expect(
      text(many, failedCount: 11)
        == "swiftget: 10 files failed: \(forbidden)\n\(names(11))swiftget: 1 file failed: \(missing)\n  f3\n"
        + "swiftget: 3 files downloaded, 11 failed\nswiftget: 10 failed: \(forbidden)\nswiftget: 1 failed: \(missing)\n"
        + "hint: --failed FILE lists all of them for another run\n")
  }

  @Test func `names no more failures when these are no longer wanted`() {
    var lines = lines()
    for number in 0..<1000 { fail("f\(number)", 400 + number % 3, &lines) }
    var run = RunProgress()
    run.failedCount = 1000
    for limit in [1, 2, 11, 200, 400, 1002, 1003] {
      var count = 0
      lines.listFailures(run) { _ in
        count += 1
        return count < limit
      }
      #expect(count == limit)
    }
  }
}
