import DownloadControl
import DownloadCore
import DownloadJSON
import DownloadStore
import TestSupport
import Testing

@testable import SwiftGet

/// Named sessions as other programs of their user reach them.
@Suite(.waiting) struct `Sessions under control of other programs` {
  private let content = Content.generated(seed: 43, byteCount: 1_000_000)
  private let home: TemporaryDirectory
  private let rig: SessionRig

  init() throws {
    home = try TemporaryDirectory()
    let content = Content.generated(seed: 43, byteCount: 1_000_000)
    rig = try SessionRig(Dictionary(uniqueKeysWithValues: (0..<4).map { ("/f\($0)", content) }))
  }

  private func open() async throws -> DownloadSession {
    try await DownloadSession.open("night", in: home.path, configuration: SessionRig.configuration(in: rig.target))
  }

  private func client() throws -> SessionClient { try SessionClient(of: home.path("night")) }

  /// The name of the error with which a call is refused.
  private func refusal(_ client: SessionClient, _ method: String, _ parameters: String = "{}") -> String? {
    do {
      _ = try client.call(method, parameters)
      return nil
    } catch ControlClient.Problem.refused(let error) { return error.name ?? error.message } catch { return "\(error)" }
  }

  private func add(_ client: SessionClient, _ names: [String], _ more: String = "") throws -> [String] {
    let requests = names.map { name in
      #"{"url": "\#(rig.server.url("/" + name))", "out": "\#(name)", "dir": "\#(rig.target.path)", "key": "\#(name)"}"#
    }
    let answer = try client.call("add", "{\"requests\": [\(requests.joined(separator: ", "))]\(more)}")
    return (answer["added"]?.elements ?? nil).map { $0.compactMap { $0["id"]?.string } } ?? []
  }

  @Test func `a client adds, steers and watches`() async throws {
    rig.stall()
    let session = try await open()
    let client = try client()
    let ids = try add(client, ["f0", "f1", "f2"])
    let found = try await session.tasks()
    #expect(ids.count == 3 && ids == found.map(\.id.description))
    let tasks = found
    #expect(await eventually { tasks[0].latest.progress.bytes > 200_000 })
    #expect(try client.call("pause", #"{"tasks": ["\#(ids[0])"]}"#)["changed"]?.integer == 1)
    #expect(tasks[0].latest.state == .paused(by: .task))
    #expect(try client.call("pause", #"{"session": true}"#)["changed"]?.integer == 1)
    #expect(try client.call("resume", #"{"session": true}"#)["still_paused"]?.integer == 1)
    #expect(try client.call("cancel", #"{"select": ["key:f1"]}"#)["changed"]?.integer == 1)
    #expect(
      try client.call("move", #"{"tasks": ["\#(ids[2])"], "to": {"before": "\#(ids[0])"}}"#)["changed"]?.integer == 1)
    #expect(try await session.tasks().map(\.latest.fileName).first == "f2")
    #expect(try client.call("prioritize", #"{"tasks": ["\#(ids[2])"], "priority": 3}"#)["changed"]?.integer == 1)
    #expect(try client.call("set", #"{"tasks": ["\#(ids[2])"], "settings": {"tries": 4}}"#)["changed"]?.integer == 1)
    #expect(tasks[2].latest.settings.tries == 4 && tasks[2].latest.priority == 3)
    let limited = try client.call("limit", #"{"limits": {"active_files": 2, "bytes_per_second": 100000000}}"#)
    #expect(limited["limits"]?["active_files"]?.integer == 2)
    #expect(try client.call("limit", #"{"limits": {"active_files": null}}"#)["limits"]?["active_files"] == nil)
    #expect(try client.call("limit", #"{"group": "late", "limits": {"connections": 3}}"#)["paused"]?.boolean == false)
    let groups = try client.call("groups")["groups"]?.elements ?? nil
    #expect(groups?.compactMap { $0["name"]?.string } == ["main", "late"])
    let list = try client.call("list", #"{"select": ["state:paused"]}"#)
    #expect(list["tasks"]?.elements?.compactMap { $0["key"]?.string } == ["f0"] && list["next"]?.isNull == true)
    let first = try client.call("list", #"{"limit": 1}"#)
    #expect(first["next"]?.string == ids[0])
    let rest = try client.call("list", #"{"after": "\#(ids[0])"}"#)
    #expect(rest["tasks"]?.elements?.compactMap { $0["id"]?.string } == Array(ids[1...]))
    // What was asked for while the server stalled does not end.
    _ = try client.call("pause", #"{"session": true}"#)
    rig.goOn()
    _ = try client.call("resume_all")
    _ = try await tasks[2].result()
    #expect(try client.call("remove", #"{"tasks": ["\#(ids[2])"], "files": true}"#)["changed"]?.integer == 1)
    #expect(!rig.target.names().contains("f2"))
    #expect(try client.call("totals")["states"]?["cancelled"]?.integer == 1)
    #expect(try client.call("continue")["continues"]?.boolean == false, "this program starts no other one")
    await session.close()
  }

  @Test func `wrong calls are refused by name, and change nothing`() async throws {
    let session = try await open()
    let client = try client()
    #expect(refusal(client, "fetch")?.contains("no method is named fetch") == true)
    #expect(refusal(client, "pause") == "invalid_value")
    #expect(refusal(client, "pause", #"{"session": true, "group": "x"}"#) == "invalid_value")
    #expect(refusal(client, "pause", #"{"tasks": ["1"]}"#) == "invalid_value")
    #expect(refusal(client, "pause", #"{"tasks": ["0123456789abcdef"]}"#) == "unknown_task")
    #expect(refusal(client, "pause", #"{"select": ["sta:x"]}"#) == "invalid_value")
    #expect(refusal(client, "add", "{}") == "invalid_value")
    #expect(refusal(client, "limit", #"{"limits": {"active_files": 0}}"#) == "invalid_value")
    #expect(refusal(client, "limit", #"{"limits": {"active_files": "2"}}"#) == "invalid_value")
    #expect(refusal(client, "set", #"{"session": true, "settings": {"tries": 0}}"#) == "invalid_value")
    #expect(refusal(client, "prioritize", #"{"session": true, "priority": 101}"#) == "invalid_value")
    #expect(refusal(client, "list", #"{"limit": 1001}"#) == "invalid_value")
    #expect(refusal(client, "stop", #"{"mode": "never"}"#) == "invalid_value")
    let many = (0..<1001).map { _ in "{}" }.joined(separator: ",")
    #expect(refusal(client, "add", "{\"requests\": [\(many)]}") == "invalid_value")
    let mixed = try client.call(
      "add",
      #"{"requests": [{"url": "ftp://h/f"}, {}, {"url": "http://h/f", "dir": "relative"}], "paused": true}"#)
    #expect(mixed["failures"]?.elements?.compactMap { $0["index"]?.integer } == [0, 1, 2])
    #expect(try client.call("totals")["files"]?.integer == 0)
    #expect(session.latestTotals.files == 0)
    #expect(try client.call("methods")["methods"]?.elements?.count == ControlMethod.allCases.count)
    await session.close()
  }

  @Test func `ends are told to each client, in order, from a number on`() async throws {
    let session = try await open()
    let first = try client()
    _ = try first.call("subscribe")
    _ = try add(first, ["f0", "f1", "f2"])
    try await session.settled()
    let second = try client()
    _ = try second.call("subscribe", #"{"since": 1}"#)
    for (client, numbers) in [(first, [1, 2, 3]), (second, [2, 3])] as [(SessionClient, [Int64])] {
      var seen: [Int64] = []
      while seen.last != 3 {
        let (method, news) = try client.control.nextNews(patience: .seconds(300))
        guard method == "ended" else { continue }
        seen.append(news["seq"]?.integer ?? 0)
        #expect(news["state"]?.string == "succeeded" && news["bytes_done"]?.integer == 1_000_000)
      }
      #expect(seen == numbers)
    }
    await session.close()
  }

  @Test func `ends are listed in their order, in pages, and by terms`() async throws {
    let session = try await open()
    let client = try client()
    for name in ["f1", "missing", "f0"] {
      _ = try add(client, [name])
      try await session.settled()
    }
    // It is answered when the last end is stored.
    _ = try client.call("totals")
    func keys(_ parameters: String) throws -> (keys: [String], next: Int64?) {
      let page = try client.call("ends", parameters)
      #expect(page["gap"]?.boolean == false)
      return (page["tasks"]?.elements?.compactMap { $0["key"]?.string } ?? [], page["next"]?.integer)
    }
    #expect(try keys("{}").keys == ["f1", "missing", "f0"] && keys("{}").next == nil)
    #expect(try keys(#"{"since": 1}"#).keys == ["missing", "f0"])
    let first = try keys(#"{"limit": 2}"#)
    #expect(first.keys == ["f1", "missing"] && first.next == 2)
    #expect(try keys(#"{"since": 2, "limit": 2}"#).keys == ["f0"])
    #expect(try keys(#"{"select": ["state:succeeded"]}"#).keys == ["f1", "f0"])
    #expect(refusal(client, "ends", #"{"limit": 0}"#) == "invalid_value")
    await session.close()
  }

  @Test func `what runs is described, with its hosts and written ranges, and what waits is left out at the beginning`()
    async throws
  {
    rig.stall()
    let session = try await open()
    try await session.limit { $0.activeFiles = 1 }
    let client = try client()
    let ids = try add(client, ["f0", "f1", "f2"])
    let task = try await session.tasks()[0]
    #expect(await eventually { task.latest.progress.bytes > 200_000 })
    let answer = try client.call("describe", #"{"tasks": ["\#(ids[0])", "\#(ids[1])"]}"#)
    let described = try #require(answer["tasks"]?.elements?.first)
    #expect(described["id"]?.string == ids[0] && described["phase"]?.string == "receiving")
    #expect(described["ranges"]?.elements?.first?.elements?.first?.integer == 0)
    let host = try #require(described["hosts"]?.elements?.first)
    #expect(rig.server.url("/").hasPrefix(host["host"]?.string ?? "-") && host["connections"]?.integer ?? 0 > 0)
    #expect(host["unreachable"]?.boolean == false)
    let many = Array(repeating: "\"\(ids[0])\"", count: 101).joined(separator: ",")
    #expect(refusal(client, "describe", "{\"tasks\": [\(many)]}") == "invalid_value")
    // What only waits for its turn is not told.
    _ = try client.call("subscribe", #"{"begun": true}"#)
    var told: [String] = []
    while true {
      let (method, news) = try client.control.nextNews(patience: .seconds(300))
      if method == "up_to_date" { break }
      if method == "task" { told.append(news["id"]?.string ?? "") }
    }
    #expect(told == [ids[0]])
    rig.goOn()
    await session.close()
  }

  @Test func `a client that dies in the middle of its adds leaves whole ones`() async throws {
    let session = try await open()
    try await session.pause()
    for round in 0..<5 {
      let client = try client()
      var parameters = JSONObject()
      parameters.add(
        "requests",
        (0..<200).map { index in
          var request = JSONObject()
          request.add("url", oneOrMore: [JSONObject.quoted(rig.server.url("/f0"))])
          request.add("out", "r\(round)-\(index)")
          request.add("dir", rig.target.path)
          return request
        })
      // The answer is not waited for.
      #expect(throws: ControlClient.Problem.timedOut) { try client.control.call("add", parameters, patience: .zero) }
    }
    let client = try client()
    #expect(try await eventually { try client.call("totals")["files"]?.integer == 1000 })
    #expect(try await session.tasks().count == 1000)
    await session.close()
  }

  @Test func `a client ends the session's work`() async throws {
    let session = try await open()
    let client = try client()
    _ = try client.call("stop")
    #expect(await eventually { session.driver.isClosed })
    #expect(SessionFiles.holder(of: Array(home.path("night").utf8))?.socket != nil)
    let again = try await open()
    await again.close()
  }

  @Test func `a script in Python asks and follows`() async throws {
    let session = try await open()
    func run(_ arguments: String...) throws -> ProgramResult {
      let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
      return try runProgram("/usr/bin/env", ["python3", "\(root)/Examples/control.py", home.path("night")] + arguments)
    }
    let requests = #"[{"url": "\#(rig.server.url("/f0"))", "dir": "\#(rig.target.path)"}]"#
    var result = try run("add", "{\"requests\": \(requests)}")
    #expect(result.status == 0 && result.outputText.contains("\"existing\": false"), "\(result.errorText)")
    result = try run("follow")
    #expect(result.status == 0 && result.outputText == "1 succeeded \(rig.target.path("f0"))\n", "\(result.errorText)")
    result = try run("retry", "{}")
    #expect(result.status == 1 && result.errorText.hasPrefix("invalid_value: a command needs one of"))
    await session.close()
    #expect(try rig.isRight("f0", content))
  }
}

/// Another program that controls a session.
struct SessionClient {
  let control: ControlClient

  /// - Parameter path: of the session's directory.
  init(of path: String) throws {
    let holder = try #require(SessionFiles.holder(of: Array(path.utf8)))
    let socket = try #require(holder.socket)
    let slash = try #require(socket.lastIndex(of: UInt8(ascii: "/")))
    control = try ControlClient(
      to: ControlSocket(directory: Array(socket[..<slash]), name: Array(socket[(slash + 1)...])),
      patience: .seconds(300))
  }

  /// - Parameter parameters: a JSON object.
  func call(_ method: String, _ parameters: String = "{}") throws -> JSONValue {
    var object = JSONObject()
    for (name, value) in try JSONValue.parse(Array(parameters.utf8)[...]).get().members {
      object.add(String(decoding: name, as: UTF8.self), verbatim: value.jsonText)
    }
    return try control.call(method, object, patience: .seconds(300))
  }
}

extension JSONValue {
  /// What a test has written, again.
  fileprivate var jsonText: [UInt8] {
    if isNull { return Array("null".utf8) }
    if let boolean { return Array("\(boolean)".utf8) }
    if let integer { return Array("\(integer)".utf8) }
    if let text { return JSONObject.quoted(text) }
    if let elements { return [0x5b] + elements.map(\.jsonText).joined(separator: [0x2c]) + [0x5d] }
    var object = JSONObject()
    for (name, value) in members { object.add(String(decoding: name, as: UTF8.self), verbatim: value.jsonText) }
    return object.text
  }
}
