import SwiftGet
import TestSupport
import Testing

/// What becomes of requests.
@Suite(.waiting) struct `Adding to a session` {
  private let content = Content.generated(seed: 21, byteCount: 200_000)

  @Test func `5,000 requests in parts: those that are wrong are errors with index and reason, the others tasks`()
    async throws
  {
    let rig = try SessionRig([:])
    try await rig.session.pause()
    var requests = (0..<5000).map { rig.request("/\($0)") }
    requests[7] = DownloadRequest("not a url")
    requests[2500] = rig.request("/x", name: "../x")
    requests[4999] = rig.request("/y", checksum: .sha256("abc"))
    let added = try await rig.session.add(requests)
    #expect(added.tasks.count == 4997)
    #expect(added.failures.map(\.index) == [7, 2500, 4999])
    #expect(added.failures.allSatisfy { $0.error.code == .invalidRequest })
    #expect(added.failures[1].request?.name == "../x" && added.failures[1].error.message.contains("'..'"))
    #expect(Set(added.tasks.map(\.id)).count == 4997)
    #expect(rig.session.latestTotals.counts == [.paused: 4997])
    #expect(added.tasks[0].latest.urls == [rig.server.url("/0")] && added.tasks[0].latest.path == rig.target.path("0"))
    #expect(rig.server.requests.isEmpty)
  }

  @Test func `a lazy sequence is taken as it is`() async throws {
    let rig = try SessionRig(["/0": content, "/1": content])
    let added = try await rig.session.add((0..<2).lazy.map { rig.request("/\($0)") })
    #expect(try await added.files().map(\.path) == [rig.target.path("0"), rig.target.path("1")])
  }

  @Test func `the same add twice leaves one task`() async throws {
    let rig = try SessionRig(["/f": content])
    try await rig.session.pause()
    let first = try await rig.session.add(rig.request("/f"))
    let second = try await rig.session.add(rig.request("/f"))
    #expect(!first.isExisting && second.isExisting && first.task == second.task)
    #expect(rig.session.latestTotals.files == 1)
  }

  @Test func `one URL under two names is two tasks, and the URL finds both`() async throws {
    let rig = try SessionRig(["/f": content])
    let one = try await rig.session.add(rig.request("/f", name: "one")).task
    let two = try await rig.session.add(rig.request("/f", name: "two")).task
    #expect(one.id != two.id)
    #expect(try await rig.session.tasks(where: .url(rig.server.url("/f"))) == [one, two])
    #expect(
      try await [one, two].results().map { try $0.get().path } == [rig.target.path("one"), rig.target.path("two")])
  }

  @Test func `two URLs that differ in the query only never meet in one file`() async throws {
    let rig = try SessionRig(["/f": content])
    try await rig.session.pause()
    _ = try await rig.session.add(rig.request("/f?a=1"))
    let error = try #require(
      await thrown { try await rig.session.add(rig.request("/f?a=2")) } as? DownloadError)
    #expect(error.code == .conflict && error.path == rig.target.path("f"))
  }

  @Test func `of two requests of one add that meet in a target the first is taken`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content])
    let added = try await rig.session.add([rig.request("/a", name: "x"), rig.request("/b", name: "x")])
    #expect(added.tasks.count == 1 && added.failures.map(\.index) == [1])
    #expect(added.failures[0].error.code == .conflict)
  }

  @Test func `a task is found by its key, and the key added again gives the same id and the new URL`() async throws {
    let rig = try SessionRig(["/new": content])
    try await rig.session.pause()
    var request = rig.request("/old", name: "f", key: "k")
    request.info = ["title": "T", "image": "i"]
    let task = try await rig.session.add(request).task
    let added = try await rig.session.add(rig.request("/new", name: "f", key: "k"))
    #expect(added.isExisting && added.task.id == task.id)
    #expect(added.kept == .info && task.latest.info == ["title": "T", "image": "i"])
    #expect(try await rig.session.task(key: "k") == task)
    #expect(await code { try await rig.session.task(key: "other") } == .unknownTask)
    #expect(task.latest.urls == [rig.server.url("/new")])
    try await rig.session.resume()
    _ = try await task.result()
    #expect(rig.server.requests.allSatisfy { $0.path == "/new" })
  }

  @Test func `a key belongs to one file`() async throws {
    let rig = try SessionRig(["/f": content])
    try await rig.session.pause()
    _ = try await rig.session.add(rig.request("/f", name: "one", key: "k"))
    #expect(await code { try await rig.session.add(rig.request("/f", name: "two", key: "k")) } == .conflict)
  }

  @Test func `a link that has expired is replaced through the key, and the bytes go on`() async throws {
    let content = Content.generated(seed: 22, byteCount: 3_000_000)
    let rig = try SessionRig(["/f": content])
    let checksum = FileChecksum.sha256(try content.hexDigest())
    let task = try await rig.failHalfway(rig.request("/f?signed=1", checksum: checksum, key: "k"))
    #expect(await code { try await task.result() } == .refused)
    let again = try await rig.session.add(rig.request("/f?signed=2", checksum: checksum, key: "k"))
    #expect(again.task == task && again.isExisting)
    #expect(try await task.result().verified?.source == .given)
    #expect(rig.server.requests.contains { $0.target == "/f?signed=2" && $0.rangeHeader != nil })
  }

  @Test func `a succeeded file that was deleted is fetched again`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.session.add(rig.request("/f")).task
    let file = try await task.result()
    #expect(removed(file.path))
    #expect(task.latest.state == .succeeded(file))
    let added = try await rig.session.add(rig.request("/f"))
    #expect(added.task == task && added.isExisting)
    #expect(!(try await task.result().wasKept))
    #expect(try rig.isRight("f", content))
    #expect(removed(file.path))
    try await task.resume()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
  }

  @Test func `a succeeded file that is there and right is kept without a request`() async throws {
    let rig = try SessionRig(["/f": content])
    let request = rig.request("/f", checksum: .sha256(try content.hexDigest()))
    _ = try await rig.session.add(request).task.result()
    let count = rig.server.requests.count
    #expect(try await rig.session.add(request).task.result().wasKept)
    #expect(rig.server.requests.count == count)
  }

  @Test func `another checksum for a succeeded task has the file checked, for a waiting one it is an error`()
    async throws
  {
    let rig = try SessionRig(["/f": content])
    _ = try await rig.session.add(rig.request("/f")).task.result()
    let wrong = try await rig.session.add(rig.request("/f", checksum: .md5(String(repeating: "0", count: 32))))
    #expect(await code { try await wrong.task.result() } == .integrity)
    try await rig.session.pause()
    _ = try await rig.session.add(rig.request("/g", checksum: .md5(String(repeating: "0", count: 32))))
    let error = try #require(
      await thrown {
        try await rig.session.add(rig.request("/g", checksum: .md5(String(repeating: "1", count: 32))))
      } as? DownloadError)
    #expect(error.code == .conflict && error.message.contains("md5:0000") && error.message.contains("md5:1111"))
  }

  @Test func `a checksum among the settings of a request is that of the file`() async throws {
    let rig = try SessionRig(["/right": content, "/wrong": content])
    var right = rig.request("/right")
    right.settings.checksum = .sha256(try content.hexDigest())
    let file = try await rig.session.add(right).task.result()
    #expect(file.verified?.source == .given && file.verified?.checksum == right.settings.checksum)
    var wrong = rig.request("/wrong", checksum: .sha256(try content.hexDigest()))
    wrong.settings.checksum = .md5(String(repeating: "0", count: 32))
    let task = try await rig.session.add(wrong).task
    #expect(await code { try await task.result() } == .integrity)
    #expect(!rig.target.names().contains("wrong"))
  }

  @Test func `added again with less a task keeps what it has`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.isOpen.withLock { $0 = false }
    var request = rig.request("/f", checksum: .sha256(try content.hexDigest()))
    request.headers = [HeaderField("X-Key", secret: "s3cret")]
    request.credential = .user("u", password: "p")
    request.urls.append(rig.server.url("/mirror"))
    let task = try await rig.session.add(request, paused: true).task
    #expect(try await rig.session.add(rig.request("/f")).task == task)
    #expect(task.latest.urls == request.urls && task.latest.checksums == request.checksums)
    rig.isOpen.withLock { $0 = true }
    let file = try await task.result()
    #expect(file.verified?.source == .given)
    #expect(
      !rig.server.requests.isEmpty
        && rig.server.requests.allSatisfy { $0.header("X-Key") == "s3cret" && $0.header("Authorization") != nil })
  }

  @Test func `given another URL by its key a task keeps what the request does not say`() async throws {
    let rig = try SessionRig(["/g": content])
    var request = rig.request("/f", name: "f", checksum: .sha256(try content.hexDigest()), key: "k")
    request.headers = [HeaderField("X-Key", secret: "s3cret")]
    request.credential = .user("u", password: "p")
    request.expectedSize = 200_000
    let task = try await rig.session.add(request, paused: true).task
    #expect(try await rig.session.add(rig.request("/g", name: "f", key: "k")).task == task)
    let file = try await task.result()
    #expect(file.verified?.source == .given && task.latest.urls == [rig.server.url("/g")])
    #expect(
      !rig.server.requests.isEmpty
        && rig.server.requests.allSatisfy {
          $0.path == "/g" && $0.header("X-Key") == "s3cret" && $0.header("Authorization") != nil
        })
    // Another server gets nothing that was meant for this one.
    let other = try ScriptedServer(FileService(["/g": content]))
    #expect(removed(file.path))
    let moved = DownloadRequest(other.url("/g"), name: "f", key: "k")
    #expect(try await rig.session.add(moved).task == task)
    _ = try await task.result()
    #expect(
      !other.requests.isEmpty
        && other.requests.allSatisfy { $0.header("X-Key") == nil && $0.header("Authorization") == nil })
  }

  @Test func `a request is a JSON object and back, without secrets`() throws {
    var request = DownloadRequest(
      "https://u:p@example.org/f?q=1", into: "/data", name: "a/ü", checksum: .md5(String(repeating: "0", count: 32)),
      key: "k", group: "g")
    request.urls.append("https://mirror.example.org/f")
    request.expectedSize = 7
    request.headers = [HeaderField("X-A", "1"), HeaderField("X-B", secret: "two")]
    request.credential = .bearer(token: "three")
    request.priority = -3
    request.info = ["x": "1"]
    request.settings.tries = 4
    request.settings.userAgent = .none
    let text = request.json
    for secret in ["u:p", "two", "three"] { #expect(!text.contains(secret), "\(text)") }
    #expect(text.contains("\"needs\":[\"header X-B\",\"user\"]"), "\(text)")
    var expected = request
    expected.urls[0] = "https://example.org/f?q=1"
    expected.headers.removeLast()
    expected.credential = nil
    let back = try DownloadRequest(json: text)
    #expect(back == expected && back.json == text.replacing(",\"needs\":[\"header X-B\",\"user\"]", with: ""))
    for wrong in ["", "{}", "[]", "{\"url\": \"https://example.org\"", "{\"url\": \"x\", \"settings\": 1}"] {
      #expect(throws: DownloadError.self) { try DownloadRequest(json: wrong) }
    }
  }

  @Test func `a task that was added paused makes no request before it is resumed`() async throws {
    let rig = try SessionRig(["/f": content, "/g": content])
    let task = try await rig.session.add(rig.request("/f"), paused: true).task
    _ = try await rig.session.add(rig.request("/g")).task.result()
    #expect(task.latest.state == .paused(by: .task))
    #expect(rig.server.requests.allSatisfy { $0.path == "/g" })
    try await task.resume()
    _ = try await task.result()
  }

  @Test func `what is wrong with a request is told with the range`() async throws {
    let rig = try SessionRig([:])
    var request = rig.request("/f")
    request.priority = 101
    #expect(await code { try await rig.session.add(request) } == .invalidValue)
    request.priority = 0
    request.settings.connections = 0
    let error = try #require(await thrown { try await rig.session.add(request) } as? DownloadError)
    #expect(error.code == .invalidValue && error.message.contains("1...64"))
    request.settings = DownloadSettings()
    request.headers = [HeaderField("A", "b\r\nC: d")]
    #expect(await code { try await rig.session.add(request) } == .invalidRequest)
    request.headers = []
    request.key = ""
    #expect(await code { try await rig.session.add(request) } == .invalidRequest)
    request.key = nil
    request.urls = []
    #expect(await code { try await rig.session.add(request) } == .invalidRequest)
    #expect(rig.session.latestTotals.files == 0)
  }

  @Test(arguments: [
    "https://anna:p/ss@h:99999/f?token=ss", "https://anna:pass@h/f?token=pass#pass", "ftp://anna:p@ss@h/f",
    "anna:pass@h",
  ])
  func `errors show nothing of a URL that may be a secret`(url: String) async throws {
    let rig = try SessionRig(["/f": content])
    let request = DownloadRequest(url, name: "../x")
    let error = try #require(await thrown { try await rig.session.add(request) } as? DownloadError)
    #expect(error.code == .invalidRequest && !"\(error) \(error.url ?? "")".contains("ss"))
  }

  @Test func `headers and credentials go to the request's own origin only`() async throws {
    let other = try ScriptedServer(FileService(["/f": content]))
    let rig = try SessionRig(["/f": content]) { $0.redirects = ["/f": other.url("/f")] }
    var request = rig.request("/f")
    request.headers = [HeaderField("X-Key", secret: "s3cret")]
    request.credential = .user("u", password: "p")
    _ = try await rig.session.add(request).task.result()
    #expect(rig.server.requests.allSatisfy { $0.header("X-Key") == "s3cret" && $0.header("Authorization") != nil })
    #expect(other.requests.allSatisfy { $0.header("X-Key") == nil && $0.header("Authorization") == nil })
    #expect(!"\(request.headers) \(request.credential!)".contains("s3cret"))
  }
}
