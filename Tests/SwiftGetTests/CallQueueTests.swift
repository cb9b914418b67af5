import DownloadCore
import TestSupport
import Testing

@testable import SwiftGet

@Suite(.waiting) struct `The calls of a client` {
  /// What was done with each call, and a gate before the end of each.
  private final class Course: Sendable {
    private let done = Lock<[String]>([])
    private let gates: [AsyncStream<Void>.Continuation]
    private let passed: [AsyncStream<Void>]

    init(calls: Int) {
      let pairs = (0..<calls).map { _ in AsyncStream<Void>.makeStream() }
      (gates, passed) = (pairs.map(\.continuation), pairs.map(\.stream))
    }

    func note(_ what: String) { done.withLock { $0.append(what) } }
    func open(_ call: Int) { gates[call].finish() }
    func wait(for call: Int) async { for await _ in passed[call] {} }
    func has(_ what: String) -> Bool { done.withLock { $0.contains(what) } }
    var all: [String] { done.withLock { $0 } }
  }

  private func queue(of count: Int, _ course: Course) -> [Task<Int, Never>] {
    var queue = CallQueue()
    return (0..<count).map { call in
      queue.append {
        course.note("prepare \(call)")
        return call * 10
      } obey: { prepared in
        course.note("obey \(call)")
        await course.wait(for: call)
        course.note("end \(call)")
        return prepared
      }
    }
  }

  @Test func `one is obeyed after the other, and only the next one is prepared meanwhile`() async {
    let course = Course(calls: 3)
    let calls = queue(of: 3, course)
    #expect(await eventually { course.has("obey 0") && course.has("prepare 1") })
    #expect(course.all.count == 3)
    course.open(0)
    #expect(await eventually { course.has("obey 1") && course.has("prepare 2") })
    #expect(course.all.count == 6)
    course.open(1)
    course.open(2)
    for (call, task) in calls.enumerated() { #expect(await task.value == call * 10) }
    #expect(
      course.all.filter { $0.hasPrefix("obey") || $0.hasPrefix("end") }
        == ["obey 0", "end 0", "obey 1", "end 1", "obey 2", "end 2"])
  }

  @Test func `a thousand calls are obeyed in their order`() async {
    let course = Course(calls: 1000)
    for call in 0..<1000 { course.open(call) }
    for task in queue(of: 1000, course) { _ = await task.value }
    #expect(course.all.filter { $0.hasPrefix("obey") } == (0..<1000).map { "obey \($0)" })
  }
}
