import DownloadJSON
import DownloadWords
import TestSupport
import Testing

@testable import CommandControl

@Suite struct `Values of limits and settings` {
  private func settings(_ words: String..., files: [String: String] = [:]) throws -> SettingValues {
    try SettingValues(words.map { try #require(Assignment($0)) }) { files[$0] }
  }

  private func text(_ values: SettingValues) -> String { String(decoding: values.settings.text, as: UTF8.self) }

  @Test func `a word with a name before its equals sign is an assignment`() {
    #expect(Assignment("tries=3").map { $0.key == "tries" && $0.value == "3" } == true)
    #expect(Assignment("user-agent=a=b")?.value == "a=b")
    for word in ["http://h/?a=b", "./a=b", "=3", "3", "state:failed", "A=b", "a/b=c"] {
      #expect(Assignment(word) == nil, "\(word)")
    }
  }

  @Test func `settings become those of the protocol`() throws {
    let values = try settings(
      "rate=2M", "tries=4", "stall-timeout=5m", "accept-status=404,410", "url=", "user_agent=x", "priority=-5")
    #expect(
      text(values)
        == #"{"bytes_per_second":2097152,"tries":4,"stall_timeout":300.0,"accepted_statuses":[404,410],"url":null,"user_agent":"x"}"#
    )
    #expect(values.priority == -5 && !values.hasSecrets)
    #expect(text(try settings("bytes_per_second=5")) == #"{"bytes_per_second":5}"#)
  }

  @Test func `secrets come from files and standard input`() throws {
    var values = try settings(
      "header=@h", "user=-", files: ["h": "Authorization: Bearer x\nX-A: 1\n", "-": "me:pa:ss\n"])
    #expect(
      text(values)
        == #"{"user":"me","password":"pa:ss","headers":{"Authorization":"Bearer x","X-A":"1"}}"#)
    #expect(values.hasSecrets)
    values = try settings("header=X-A: 1", "header=X-A: 2")
    #expect(text(values) == #"{"headers":{"X-A":["1","2"]}}"# && !values.hasSecrets)
    #expect(text(try settings("header=")) == #"{"headers":null}"#)
  }

  @Test func `a refusal shows no secret`() {
    for word in ["user=me:hunter2", "header=hunter2", "header=@hunter2", "user=@missing"] {
      do {
        _ = try settings(word)
        Issue.record("\(word) is taken")
      } catch let error as ControlFailure {
        #expect(error.status == .usage && !error.message.contains("hunter2"), "\(error.message)")
      } catch { Issue.record("\(error)") }
    }
  }

  @Test(arguments: [
    "tries=x", "rate=0", "rate=fast", "priority=101", "priority=", "stall_timeout=soon", "accept_status=x", "trise=3",
  ])
  func `wrong settings are refused`(word: String) {
    #expect(throws: ControlFailure.self) { try settings(word) }
  }

  @Test func `limits become those of the protocol`() throws {
    #expect(try LimitKey.jobs.json("4") == Array("4".utf8))
    #expect(try LimitKey.rate.json("500k/s") == Array("512000".utf8))
    #expect(try LimitKey.requests.json("30/m") == Array("0.5".utf8))
    for key in LimitKey.allCases { #expect(try key.json("off") == Array("null".utf8)) }
    for (key, value) in [(LimitKey.jobs, "0"), (.connections, "-1"), (.rate, "0"), (.requests, "0/s"), (.jobs, "")] {
      #expect(throws: ControlFailure.self) { try key.json(value) }
    }
  }
}

@Suite struct `Lists for people` {
  private func task(_ number: Int, _ name: String, _ state: String, error: String = "") throws -> TaskText {
    var text = #"{"number": \#(number), "state": "\#(state)", "bytes_done": 50, "size": 100, "path": "#
    text += "\"/d/\(name.map { "\\u" + String(format($0)) }.joined())\""
    if !error.isEmpty { text += #", "error": {"error": "refused", "message": "\#(error)"}"# }
    return TaskText(try JSONValue.parse(Array((text + "}").utf8)[...]).get())
  }

  /// Four hexadecimal digits of a character of the basic plane.
  private func format(_ character: Character) -> String {
    let digits = String(character.unicodeScalars.first?.value ?? 0, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  @Test func `no line is wider than the terminal, whatever names and errors are`() throws {
    let names = ["a", "\u{1b}[2J", String(repeating: "wide界", count: 40), "t\tn\nr\r", "\u{202e}gpj.exe"]
    for columns in [1, 20, 40, 80, 200] {
      let tasks = try names.enumerated().map {
        try task($0 + 1, $1, "failed", error: "bad \(String(repeating: "x", count: 90))")
      }
      let table = ListTable(tasks, columns: columns, ellipsis: "…")
      #expect(table.lines.count == names.count + 1)
      for line in table.lines {
        #expect(DisplayWidth.of(line) <= max(1, columns - 1), "\(columns): \(line)")
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7f}" && $0 != "\u{202e}" }, "\(line)")
      }
    }
  }

  @Test func `totals count all, and the bytes of what has not failed`() throws {
    let tasks = try [task(1, "a", "failed"), task(2, "b", "running"), task(3, "c", "succeeded")]
    #expect(
      ListTable(tasks, columns: 80, ellipsis: "…").totals == "3 files: 1 failed, 1 running, 1 succeeded; 100 B of 200 B"
    )
    #expect(ListTable([], columns: 80, ellipsis: "…").totals == "0 files")
  }

  @Test func `what is shown of a task holds no query and no control character`() throws {
    let json = try JSONValue.parse(
      Array(
        #"{"number": 1, "id": "0123456789abcdef", "state": "failed", "path": "/d/a\u001b[2Jb", "urls": ["http://me:pw@h/a?token=abc"], "error": {"error": "refused", "message": "http://h/a?token=abc: \u0007no"}, "group": "g\u001b", "key": "k\n2", "info": {"a\t": "\u001b"}, "settings": {"url": "http://h/b?token=abc"}, "etag": "\u001b", "digest": "sha256:00"}"#
          .utf8)[...]
    ).get()
    let text = ShowVerb.lines(of: json, "-S night").joined(separator: "\n")
    #expect(!text.contains("token") && !text.contains("pw@"), "\(text)")
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7f}" || $0 == "\n" }, "\(text)")
    #expect(text.contains("a\\x1b[2Jb") && text.contains("what helps"))
  }
}
