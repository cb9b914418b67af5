import DownloadCore
import DownloadJSON
import DownloadStore
import TestSupport
import Testing

@testable import SwiftGet

/// How a session keeps requests, and finds tasks by what they have.
@Suite(.waiting) struct `Stored requests` {
  private static let strings = ["", "a", "ä€🎉", String(repeating: "x", count: 300), "with: colon", "line\nbreak"]

  private func request(_ generator: inout SeededGenerator) -> DownloadRequest {
    func text() -> String { Self.strings.randomElement(using: &generator)! }
    var request = DownloadRequest("http://127.0.0.1/\(Int.random(in: 0..<1_000_000, using: &generator))")
    if Bool.random(using: &generator) { request.urls.append("https://mirror.example/\(text())") }
    if Bool.random(using: &generator) { request.key = text() }
    if Bool.random(using: &generator) { request.expectedSize = Int64.random(in: 0...Int64.max, using: &generator) }
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: request.credential = .user(text(), password: text())
    case 1: request.credential = .bearer(token: text())
    default: break
    }
    if Bool.random(using: &generator) {
      request.headers = [HeaderField("A", text()), HeaderField("B", secret: text()), HeaderField("Cookie", text())]
    }
    if Bool.random(using: &generator) { request.info = [text(): text(), "k": text()] }
    if Bool.random(using: &generator) {
      let digits = String(repeating: "0123456789abcdef", count: 4)
      request.checksums = [.sha256(digits), .md5(String(digits.prefix(32)))]
    }
    request.listed.isUntrusted = Bool.random(using: &generator)
    return request
  }

  @Test func `every request comes back as it was`() {
    var generator = SeededGenerator(seed: 31)
    for round in 0..<2000 {
      let (request, name) = (request(&generator), Array("d/n\(round)".utf8) + [0xff])
      let packed = PackedRequest(request, name: name, isNamedByAnswer: round % 2 == 0)
      #expect(packed.request == request, "round \(round)")
      #expect(packed.urls == request.urls && packed.key == request.key && packed.expectedSize == request.expectedSize)
      #expect(Array(packed.name) == name && packed.isNamedByAnswer == (round % 2 == 0))
    }
  }

  @Test func `every request comes back from its JSON without its secrets`() throws {
    var generator = SeededGenerator(seed: 37)
    for round in 0..<2000 {
      var request = request(&generator)
      if round % 3 == 0 { request.urls[0] = request.urls[0].replacing("//", with: "//me:secret@") }
      if round % 5 == 0 {
        let digests = (0..<3).compactMap { ContentDigest(.sha1, [UInt8](repeating: UInt8($0), count: 20)) }
        request.listed.pieces = PieceHashes(length: 1 << 20, digests: digests)
      }
      let text = request.json(isNamedByAnswer: round % 2 == 0, missing: [.proxy])
      let stored = try #require(StoredRequestText(json: try JSONValue.parse(text.text[...]).get()))
      var open = request
      open.credential = nil
      open.headers.removeAll(where: \.isSecret)
      open.urls = open.urls.map(StoredURL.withoutUserinfo)
      #expect(stored.request == open && stored.isNamedByAnswer == (round % 2 == 0), "round \(round)")
      var needs: Set<StoredNeed> = [.proxy]
      for header in request.headers where header.isSecret { needs.insert(.header(header.name)) }
      if request.credential != nil || round % 3 == 0 { needs.insert(.user) }
      #expect(Set(stored.needs) == needs, "round \(round)")
    }
  }

  @Test func `a new task is stored as it is after a change of it`() throws {
    var generator = SeededGenerator(seed: 39)
    let storage = SessionState.Storage(directory: Array("/d/".utf8), policies: [.policy(.source)])
    var checker = RequestChecker(base: RequestDirectory([Array("d".utf8)]), isNamedByAnswer: false)
    var state = SessionState(historyLimit: 100)
    state.storage = storage
    var (addedCount, settings) = (0, DownloadSettings())
    for round in 0..<2000 {
      var request = request(&generator)
      request.name = "f\(round)"
      request.key = request.key.map { "\($0)\(round)" }
      if round % 3 == 0 { request.urls[0] = request.urls[0].replacing("//", with: "//me:secret@") }
      // Successive requests may share their settings, or not.
      if Bool.random(using: &generator) {
        settings = DownloadSettings()
        if Bool.random(using: &generator) { settings.headers = [HeaderField("A", secret: "b")] }
        if Bool.random(using: &generator) { settings.tries = round + 1 }
        if Bool.random(using: &generator) { settings.proxy = "http://me:secret@proxy" }
        if Bool.random(using: &generator) { settings.url = "http://u@127.0.0.1/\(round)" }
      }
      request.settings = settings
      // Texts with NUL, and the like, are refused.
      guard var checked = try? checker.check(request) else { continue }
      checked.texts = storage.texts(
        of: checked.request, isNamedByAnswer: checked.file.isNamedByAnswer, StoredSettings(request.settings))
      let addition = try state.add(checked, as: TaskID(UInt64(round + 1)), paused: false)
      let id = addition.added.id
      if addition.added.isExisting { continue }
      addedCount += 1
      let texts = try #require(addition.texts)
      let row = try #require(state.storedTask(id, texts, added: .zero))
      #expect(state.storedTask(id, nil, added: .zero) == row, "round \(round)")
      let edits: [StoredTask.Edit] = [.path(row.path), .request(row.request), .settings(row.settings)]
      #expect(state.storedRequest(of: id) == .edit(id, edits), "round \(round)")
      #expect(!row.request.contains("secret@") && !row.settings.contains("secret@"), "round \(round)")
    }
    #expect(addedCount > 500)
  }

  @Test func `settings and limits come back from their JSON`() throws {
    var generator = SeededGenerator(seed: 38)
    func value<Value>(_ values: Value...) -> Value?? {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: nil
      case 1: .some(nil)
      default: values.randomElement(using: &generator)
      }
    }
    let words = try CommandWords(text: Array(#"sh -c 'echo "it'\''s"' "" é"#.utf8))
    let command = PlacedCommand(words, in: Array("/a b".utf8))
    for round in 0..<2000 {
      var settings = DownloadSettings()
      settings.fields.connections = value(1, 64)
      settings.fields.bytesPerSecond = value(1, .max)
      settings.fields.tries = value(1, 1_000_000)
      settings.fields.stallTimeout = value(.seconds(30), .milliseconds(1), .nanoseconds(86_400_123_456_789))
      settings.fields.maxTime = value(.seconds(1 << 40))
      settings.fields.headers = value([], [HeaderField("A", "b"), HeaderField("A", "c")])
      settings.fields.userAgent = value("", "x \"y\"")
      settings.fields.proxy = value("", "http://127.0.0.1:1")
      settings.fields.interface = value("lo")
      settings.fields.acceptedStatuses = value([], [201, 299])
      settings.fields.ifExists = value(.keep, .ask, .verify, .replace, .fail)
      settings.fields.timestamping = value(true, false)
      settings.fields.umask = value(0, 0o22, 0o777)
      settings.fields.verifyCommand = value(VerifyCommand(command))
      settings.fields.onComplete = value(command, PlacedCommand(words, in: Array("/".utf8)))
      settings.fields.onFailure = value(command)
      settings.fields.url = value("https://h/f")
      settings.fields.checksum = value(.md5(String(repeating: "0f", count: 16)))
      #expect(DownloadSettings(text: settings.json.string) == settings, "round \(round)")
      var limits = DownloadLimits()
      limits.activeFiles = value(3) ?? nil
      limits.connections = value(4) ?? nil
      limits.bytesPerSecond = value(.max) ?? nil
      limits.requestsPerSecond = value(0.001, 3, 1.0 / 3) ?? nil
      let again = try #require(DownloadLimits(text: limits.json.string))
      #expect(
        again.activeFiles == limits.activeFiles && again.connections == limits.connections
          && again.bytesPerSecond == limits.bytesPerSecond && again.requestsPerSecond == limits.requestsPerSecond)
    }
    for text in [
      #"{"tries": "x"}"#, "[]", #"{"headers": [1]}"#, "{", #"{"on_complete": {"command": "a;b", "directory": "/"}}"#,
      #"{"on_failure": {"command": "a", "directory": "b"}}"#,
    ] { #expect(DownloadSettings(text: text) == nil) }
    #expect(DownloadLimits(text: #"{"connections": 1.5}"#) == nil)
  }

  @Test(arguments: [
    ("http://h/a@b", "http://h/a@b"), ("http://u@h/", "http://h/"), ("http://u:p@@h/a@b", "http://h/a@b"),
    ("u:p@h:80", "h:80"), ("http://h?u@x", "http://h?u@x"), ("socks5://u:p@h", "socks5://h"), ("h:80", "h:80"),
    ("http://u:p%40@[::1]:80/", "http://[::1]:80/"), ("", ""),
  ]) func `who logs in is cut out of a URL`(url: String, open: String) {
    #expect(StoredURL.withoutUserinfo(url) == open && StoredURL.hasUserinfo(url) == (url != open))
  }

  @Test func `every error comes back from its JSON`() throws {
    let causes: [DownloadError.Cause?] = [
      nil, .systemCall("openat", errno: 13), .noSpace(needed: nil, free: 3), .noSpace(needed: 9, free: 0),
      .checksumMismatch(
        expected: .md5(String(repeating: "00", count: 16)), found: .md5(String(repeating: "01", count: 16))),
      .heldTarget(process: nil), .heldTarget(process: 7), .status(404),
    ]
    for (index, code) in DownloadError.Code.allCases.enumerated() {
      let error = DownloadError(
        DownloadError.Fields(
          code: code, cause: causes[index % causes.count], message: "m\n\"", hint: index % 2 == 0 ? "h" : nil,
          url: "https://h/f", path: "/d/f", httpStatus: index % 3 == 0 ? 404 : nil, errno: 5,
          isRetryable: index % 2 == 1))
      #expect(DownloadError(json: try JSONValue.parse(error.json.text[...]).get()) == error)
      #expect(code.name == code.name.lowercased())
    }
    #expect(DownloadError.Code.localIO.name == "local_io" && DownloadError.Code.diskFull.name == "disk_full")
  }

  @Test func `a record needs little memory beside its request`() {
    #expect(MemoryLayout<TaskRecord>.stride <= 96)
  }

  @Test func `tasks are found by their bytes, also where hashes meet`() {
    for hashCount in [1, 3, 1 << 40] as [UInt64] {
      var index = TaskIndex { bytes in UInt64(bytes.last ?? 0) % hashCount }
      var generator = SeededGenerator(seed: 7)
      // What each task has, and by what it is to be found.
      var (bytes, owners): ([TaskID: [UInt8]], [[UInt8]: TaskID]) = ([:], [:])
      for round in 0..<5000 {
        let name = [1, UInt8.random(in: 0..<12, using: &generator)]
        let task = TaskID(UInt64(round))
        if Bool.random(using: &generator) {
          index.insert(task, name) { bytes[$0].map { $0 != name } ?? false }
          bytes[task] = name
          owners[name] = task
        } else if let (task, name) = bytes.sorted(by: { $0.key < $1.key }).randomElement(using: &generator) {
          index.remove(task, name)
          bytes[task] = nil
          if owners[name] == task { owners[name] = nil }
        }
        for last in 0..<12 as Range<UInt8> {
          #expect(index.task(of: [1, last]) { bytes[$0] == [1, last] } == owners[[1, last]], "round \(round)")
        }
      }
    }
  }
}
