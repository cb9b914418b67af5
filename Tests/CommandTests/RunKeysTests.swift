import DownloadCore
import Testing

@testable import CommandMain
@testable import CommandOptions

@Suite struct `Keys of a run` {
  private static let active = ["a", "b\u{1b}"].enumerated().map { number, name in
    FileProgress(
      task: TaskID(position: number), name: Array(name.utf8), phase: .receiving, completeLength: 10, doneByteCount: 1,
      rate: 1, steadyRate: 1, connectionCount: 1)
  }

  private func keys() -> RunKeys {
    RunKeys(connections: 16) { text in Result { () throws(Failure) in try RateTimetable.typed(text) } }
  }

  /// - Returns: the actions, without what is told.
  private func type(
    _ text: String, _ keys: inout RunKeys, _ active: [FileProgress] = Self.active
  ) -> [RunKeys.Action] {
    text.utf8.flatMap { keys.typed($0, active: active) }.filter { if case .tell = $0 { false } else { true } }
  }

  @Test func `pause and go on`() {
    var keys = keys()
    #expect(type("p", &keys) == [.pause] && keys.prompt == "paused; p resumes")
    #expect(type("p", &keys) == [.resume] && keys.prompt == nil)
  }

  @Test func `change the connections within their limits`() {
    var keys = keys()
    #expect(type("+-----", &keys) == [32, 16, 8, 4, 2, 1].map { .connections($0) })
    #expect(type("-", &keys) == [.connections(1)])
    #expect(type("+++++++++", &keys).last == .connections(256))
  }

  @Test func `limit the rate with what is typed`() {
    var keys = keys()
    #expect(type("l50", &keys).isEmpty && keys.prompt?.hasSuffix(": 50") == true)
    #expect(type("0\u{7f}0k\n", &keys) == [.rate(RateTimetable(rate: 500 << 10))] && keys.prompt == nil)
    #expect(type("loff\r", &keys) == [.rate(nil)])
    #expect(type("l0\n", &keys) == [.rate(nil)])
    // Letters of a rate are no keys.
    #expect(type("lpsq+-\u{15}1k\n", &keys) == [.rate(RateTimetable(rate: 1 << 10))])
    #expect(type("l5\u{1b}", &keys).isEmpty && keys.prompt == nil)
    #expect(type("l\n", &keys).isEmpty && type("lnonsense\n", &keys).isEmpty && keys.prompt == nil)
    let long = type("l" + String(repeating: "1", count: 1000), &keys)
    #expect(long.isEmpty && keys.prompt?.utf8.count ?? 0 < 200)
  }

  @Test func `tell why a rate is none`() {
    var keys = keys()
    let told = "lx y\n".utf8.flatMap { keys.typed($0, active: []) }
    guard case .tell(let text)? = told.last else {
      Issue.record("\(told)")
      return
    }
    #expect(told.count == 1 && text.contains("the rate"), "\(text)")
  }

  @Test func `skip the first file, if that is typed twice`() {
    var keys = keys()
    #expect(type("s", &keys).isEmpty && keys.prompt?.hasPrefix("skip a?") == true)
    #expect(type("s", &keys) == [.skip(0)] && keys.prompt == nil)
    for other in ["x", "p", "\n", "q"] { #expect(type("s" + other, &keys).isEmpty && keys.prompt == nil) }
    // The file that was asked about is skipped, though another one is the first one by now.
    #expect(type("s", &keys).isEmpty)
    #expect(type("s", &keys, Array(Self.active.reversed())) == [.skip(0)])
    #expect(keys.typed(UInt8(ascii: "s"), active: []) == [.tell("no file is active")] && keys.prompt == nil)
    #expect(type("s", &keys, [Self.active[1]]).isEmpty && keys.prompt?.contains("\\x1b") == true)
  }

  @Test func `stop, show what they are, and mean nothing else`() {
    var keys = keys()
    #expect(type("q", &keys) == [.stop])
    #expect(keys.typed(UInt8(ascii: "?"), active: []) == [.tell(RunKeys.help)])
    for byte in UInt8.min...UInt8.max where !"p+-lsq?h".utf8.contains(byte) {
      #expect(keys.typed(byte, active: Self.active).isEmpty && keys.prompt == nil)
    }
  }
}
