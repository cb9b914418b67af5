import DownloadJSON
import SwiftGet
import TestSupport
import Testing

@testable import CommandControl

@Suite struct `Selectors` {
  private func terms(_ word: String) throws(ControlFailure) -> [DownloadSelector] {
    try SelectorWord.terms(word, in: "/home/u")
  }

  @Test(
    arguments: [
      ("3", .number(3)), ("003", .number(3)), ("123456789012345", .number(123_456_789_012_345)),
      ("@all", .all), ("state:failed", .state(.failed)), ("group:a b", .group("a b")),
      ("host:h", .host("h")), ("host:h:8080", .host("h:8080")), ("key:k:l", .key("k:l")),
      ("https://h/a?b=c", .url("https://h/a?b=c")), ("url:http://h/a", .url("http://h/a")),
      ("./12", .path("/home/u/12")), ("a/b", .path("/home/u/a/b")), ("/x/../y//z", .path("/y/z")),
      ("path:a", .path("/home/u/a")), ("../a", .path("/home/a")), ("./a:b", .path("/home/u/a:b")),
      ("*.iso", .glob("*.iso")), ("a/*.iso", .glob("/home/u/a/*.iso")), ("file.zip", .glob("file.zip")),
      ("glob:a?", .glob("a?")), ("error:integrity", .error(.integrity)), ("error:disk_full", .error(.diskFull)),
    ] as [(String, DownloadSelector)])
  func `a word is a term`(word: String, term: DownloadSelector) throws {
    #expect(try terms(word) == [term])
  }

  @Test func `sixteen digits are an id`() throws {
    let id = try #require(DownloadTaskID("0123456789abcdef"))
    #expect(try terms("0123456789abcdef") == [.id(id)])
    #expect(try terms("1234567890123456") == [.id(try #require(DownloadTaskID("1234567890123456")))])
  }

  @Test func `an exit status is all errors that have it`() throws {
    #expect(try terms("error:9") == [.error(.integrity)])
    #expect(Set(try terms("error:75")) == [.error(.busy), .error(.timedOut)])
  }

  @Test(arguments: [
    "", "@al", "sta:failed", "state:fail", "error:77", "error:nothing", "id:3", "number:0", "group:", "0",
  ])
  func `what selects nothing is refused`(word: String) {
    if word == "0" {
      // A name like any other.
      #expect((try? terms(word)) == [.glob("0")])
      return
    }
    do {
      let found = try terms(word)
      Issue.record("\(word): \(found)")
    } catch { #expect(error.status == .usage) }
  }

  @Test func `the text of a term is that term`() throws {
    var generator = SeededGenerator(seed: Fuzz.seed)
    func text(_ letters: String) -> String {
      String(
        (0..<Int.random(in: 1...8, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "x" })
    }
    for _ in 0..<2000 {
      let odd = text("ab/:*?[@-= \u{7}é…3")
      let term: DownloadSelector =
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: .number(Int.random(in: 1...99_999, using: &generator))
        case 1: .key(odd)
        case 2: .url(odd)
        case 3: .host(odd)
        case 4: .path(odd)
        case 5: .glob(odd)
        case 6: .group(odd)
        case 7: .state(DownloadTaskState.Kind.allCases.randomElement(using: &generator) ?? .failed)
        case 8: .error(DownloadError.Code.allCases.randomElement(using: &generator) ?? .other)
        default: .all
        }
      #expect(try DownloadSelector(term.text) == term)
    }
  }

  @Test func `any word gives terms or a refusal, and a path is always absolute`() {
    var generator = SeededGenerator(seed: Fuzz.seed)
    for _ in 0..<5000 {
      let word = String(
        (0..<Int.random(in: 0...10, using: &generator)).map { _ in
          "ab1/:*.@-\\\u{1b}é ".randomElement(using: &generator) ?? "x"
        })
      guard let terms = try? terms(word) else { continue }
      #expect(!terms.isEmpty)
      for case .path(let path) in terms {
        #expect(path.hasPrefix("/") && !path.contains("//") && !path.contains("/../"), "\(word)")
      }
    }
  }
}

@Suite struct `What a command reaches` {
  private let unsettled: [DownloadSelector] = [.state(.waiting), .state(.running), .state(.verifying), .state(.paused)]

  @Test func `all or a group alone is a flag of pause and resume`() {
    for verb in [ControlVerb.VerbName.pause, .resume] {
      #expect(ControlReach([.all], for: verb) == .session)
      #expect(ControlReach([.group("g")], for: verb) == .group("g"))
      #expect(ControlReach([.group("g"), .group("g")], for: verb) == .group("g"))
      #expect(ControlReach([.group("g"), .state(.failed)], for: verb) == .selection([.group("g"), .state(.failed)]))
      #expect(ControlReach([.group("g"), .group("h")], for: verb) == .selection([.group("g"), .group("h")]))
    }
  }

  @Test func `all means what has not settled, except for remove and retry`() {
    for verb in [ControlVerb.VerbName.cancel, .move, .set] {
      #expect(ControlReach([.all], for: verb) == .selection([.all] + unsettled))
      #expect(ControlReach([.group("g")], for: verb) == .selection([.group("g")] + unsettled))
      #expect(ControlReach([.number(3)], for: verb) == .selection([.number(3)]))
    }
    for verb in [ControlVerb.VerbName.remove, .retry] { #expect(ControlReach([.all], for: verb) == .selection([.all])) }
  }

  @Test func `beside other terms all says nothing`() {
    #expect(ControlReach([.all, .state(.failed)], for: .cancel) == .selection([.state(.failed)]))
  }
}

@Suite struct `How waited tasks end` {
  private func task(_ id: String, _ state: String, error: String? = nil) throws -> JSONValue {
    let error = error.map { #", "error": {"error": "\#($0)"}"# } ?? ""
    let text = #"{"id": "\#(id)", "state": "\#(state)", "bytes_done": 1000\#(error)}"#
    return try JSONValue.parse(Array(text.utf8)[...]).get()
  }

  @Test func `the status is that of a run`() throws {
    var ends = Ends()
    for id in ["a", "b", "c"] { ends.note(try task(id, "running"), isFirst: true) }
    #expect(!ends.isOver)
    ends.note(try task("other", "failed", error: "integrity"))
    ends.note(try task("a", "succeeded"))
    ends.note(try task("b", "failed", error: "refused"))
    ends.note(try task("b", "failed", error: "tls"))
    #expect(!ends.isOver)
    ends.note(try task("c", "failed", error: "integrity"))
    #expect(ends.isOver && ends.status == .run(9))
  }

  @Test func `the line counts what is waited for`() throws {
    var ends = Ends()
    #expect(ends.line == "0 files")
    for id in ["a", "b", "c", "d", "e", "f"] { ends.note(try task(id, "running"), isFirst: true) }
    for id in ["a", "b", "b"] { ends.note(try task(id, "succeeded")) }
    ends.note(try task("other", "succeeded"))
    ends.note(try task("c", "failed", error: "integrity"))
    ends.note(try task("d", "cancelled"))
    ends.noteRemoved("e")
    #expect(ends.line == "6 files: 1 failed, 1 unfinished, 1 cancelled, 1 removed, 2 succeeded; 1.9 KiB")
  }

  @Test func `a cancelled or removed task is no success`() throws {
    for isRemoved in [false, true] {
      var ends = Ends()
      ends.note(try task("a", "waiting"), isFirst: true)
      if isRemoved { ends.noteRemoved("a") } else { ends.note(try task("a", "cancelled")) }
      #expect(ends.isOver && ends.status == .run(1))
    }
    var ends = Ends()
    ends.note(try task("a", "cancelled"), isFirst: true)
    #expect(ends.isOver && ends.status == .run(1))
    ends = Ends()
    ends.note(try task("a", "succeeded"), isFirst: true)
    #expect(ends.isOver && ends.status == .done)
  }
}
