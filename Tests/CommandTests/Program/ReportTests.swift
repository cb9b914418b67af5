import Glibc
import TestSupport
import Testing

/// `--report`.
@Suite(.waiting) struct `Reports of a run` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let small = Content.text("0123456789")
  private static let other = Content.text("abcdefghij")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(
      FileService(["/a": Self.small, "/x/b": Self.other, "/b2": Self.small]) {
        $0.redirects = ["/old": "/x/b?sig=S3CR3T"]
      })
  }

  private func report(_ name: String = "report") throws -> ReadReport { try ReadReport(try place.text(name)) }

  @Test func `tell what became of each file`() throws {
    let digest = try Self.small.hexDigest()
    let list =
      "\(server.url("/a#sha256=\(digest)"))\n\(server.url("/none?key=S3CR3T"))\n\(server.url("/old"))\n out=sub/b\n"
    try place.directory.write("list", list)
    let result = try place.run("-i", "list", "-d", "t", "--report", "report", "-j", "1")
    #expect(result.status == 8, "\(result.told)")
    let text = try place.text("report")
    #expect(!text.contains("S3CR3T"), "\(text)")
    let report = try report()
    #expect(report.status == 8 && report.total("bytes_fetched") == 20 && report.total("bytes_total") == 20)
    #expect(report.options == ["--retry-wait=0.05", "--input-file=list", "--dir=t", "--report=report", "--jobs=1"])
    let first = try report.item("t/a")
    #expect(first.outcome == "downloaded" && first.source == "list:1" && first.number("item") == 0)
    #expect(first.text("path") == place.directory.path("t/a") && first.digest == "sha256:\(digest) given")
    #expect(first.number("bytes_done") == 10 && first.number("http_status") == 200 && first.number("retries") == 0)
    #expect(first.urls == [server.url("/a")] && first.text("final_url") == server.url("/a"))
    #expect(first.bytesByMirror == [server.url("/a"): 10] && first.number("bytes_fetched") == 10)
    #expect(first.object("error") == nil)
    #expect(first.text("started") ?? "" >= report.text("started") ?? "z")
    let failed = try report.item("t/none")
    #expect(failed.outcome == "failed" && failed.code == "server_refused" && failed.error.contains("404"))
    #expect(failed.urls == [server.url("/none") + "?…"] && failed.number("http_status") == 404)
    #expect(failed.number("bytes_done") == 0 && failed.bytesByMirror.isEmpty && failed.digest == nil)
    let moved = try report.item("t/sub/b")
    #expect(moved.text("final_url") == server.url("/x/b") + "?…" && moved.urls == [server.url("/old")])
    #expect(moved.source == "list:3" && moved.bytesByMirror == [server.url("/old"): 10])

    let again = try place.run("-i", "list", "-d", "t", "--report", "report")
    #expect(again.status == 8, "\(again.told)")
    let second = try self.report()
    let kept = try second.item("t/a")
    #expect(kept.outcome == "kept" && kept.digest == "sha256:\(digest) given" && kept.number("bytes_done") == 10)
    #expect(kept.text("final_url") == nil && kept.number("http_status") == nil && kept.number("bytes_fetched") == 0)
    #expect(second.total("bytes_fetched") == 0 && second.total("bytes_total") == 20)
    #expect(place.names == ["list", "report", "t"])
  }

  @Test func `have URLs of the command line without secrets, and bytes by mirror`() throws {
    let services = [0, 1].map { _ in
      FileService(["/f": mediumFile]) {
        $0.bytesPerSecondOfConnection = 2e6
        $0.latency = .milliseconds(20)
      }
    }
    let servers = try services.map { try ScriptedServer($0) }
    let result = try place.run(
      "--checksum", "sha256:\(try mediumFile.hexDigest())", "--mirror", servers[1].url("/f"), "-u", "me:S3CR3T",
      "-H", "X-Key:S3CR3T", "--report", "report", "http://you:S3CR3T@127.0.0.1:\(servers[0].port)/f")
    #expect(result.status == 0, "\(result.told)")
    #expect(try !place.text("report").contains("S3CR3T"))
    let report = try report()
    let item = try report.item("f")
    #expect(item.source == nil && item.urls == servers.map { $0.url("/f") })
    #expect(Set(item.bytesByMirror.keys) == Set(servers.map { $0.url("/f") }), "\(item.bytesByMirror)")
    #expect(item.bytesByMirror.values.reduce(0, +) == item.number("bytes_fetched"))
    #expect(item.number("bytes_fetched") ?? 0 >= Int(mediumFile.byteCount) && item.number("bytes_done") == 6_000_001)
    #expect(report.options.contains("--user=…") && report.options.contains("--header=X-Key: …"), "\(report.options)")
  }

  @Test func `count what was asked for again`() throws {
    let failing = try ScriptedServer(FileService(["/a": Self.small]) { $0.failFirst = (2, 503, []) })
    #expect(try place.run("--report", "report", failing.url("/a")).status == 0)
    #expect(try report().item("a").number("retries") == 2)
    let wrong = String(repeating: "0", count: 64)
    let refused = try place.run("--report", "report", "--checksum", "sha256:\(wrong)", "-o", "c", server.url("/a"))
    #expect(refused.status == 9, "\(refused.told)")
    let item = try report().item("c")
    #expect(item.code == "integrity" && item.digest == nil && item.number("retries") == 1)
    #expect(item.number("bytes_fetched") == 20)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `have what a signal left unfinished or not started`(signal: Int32) throws {
    let slow = try ScriptedServer(
      FileService(["/a": mediumFile, "/b": mediumFile, "/c": Self.small]) { $0.bytesPerSecondOfServer = 1e6 })
    try place.directory.write("report", "old")
    var invocation = try place.invocation(["-j", "1", "-i", "-", "--report", "report"])
    invocation.input = Array("\(slow.url("/a"))\n\(slow.url("/b"))\n out=d\n\(slow.url("/c"))\n".utf8)
    let program = try SpawnedProgram(invocation)
    #expect(eventually { slow.bodyBytesSent > 500_000 })
    #expect(try place.text("report") == "old")
    program.kill(signal)
    let result = program.wait()
    #expect(result.status == 128 + signal, "\(result.told)")
    let report = try report()
    #expect(
      report.status == Int(128 + signal) && report.items.map(\.outcome) == ["unfinished", "not_started", "not_started"])
    let first = try report.item("a")
    #expect(
      first.number("bytes_fetched") ?? 0 > 0 && first.bytesByMirror == [slow.url("/a"): first.number("bytes_fetched")])
    #expect(first.number("bytes_done") ?? 0 > 0 && [200, 206].contains(first.number("http_status")))
    #expect(report.total("bytes_fetched") == first.number("bytes_fetched"))
    let last = try report.item("c")
    #expect(last.source == "standard input:4" && last.text("started") == nil && last.number("bytes_done") == nil)
  }

  @Test func `call a file unfinished that another run has taken meanwhile`() throws {
    let mayAnswer = Locked(false)
    let files = FileService(["/a": mediumFile]) { $0.bytesPerSecondOfServer = 2e5 }
    let slow = try ScriptedServer { request in
      if request.header("X-Late") != nil { _ = eventually { mayAnswer.withLock { $0 } } }
      return files.steps(for: request)
    }
    let late = try place.start("-H", "X-Late: 1", "--lock-wait", "1000", "--report", "report", slow.url("/a"))
    #expect(eventually { !slow.requests.isEmpty })
    let first = try place.start(slow.url("/a"))
    #expect(eventually { place.names.contains("a.swiftget-part") })
    mayAnswer.withLock { $0 = true }
    #expect(eventually { late.errorSoFar.contains("for 1 file of other runs") }, "\(late.errorSoFar)")
    late.kill(SIGINT)
    let result = late.wait()
    first.kill()
    _ = first.wait()
    #expect(result.status == 130, "\(result.told)")
    #expect(try report().item("a").outcome == "unfinished")
  }

  @Test func `have no path of standard output, and its failure`() throws {
    let result = try place.run("-o", "-", "--report", "report", server.url("/a"))
    #expect(result.status == 0 && result.outputText == "0123456789", "\(result.told)")
    #expect(try report().items[0].text("path") == nil)
    let full = try place.run("-o", "/dev/full", "--report", "report", server.url("/a"))
    #expect(full.status == 3, "\(full.told)")
    let report = try report()
    #expect(report.status == 3 && report.items.count == 1, "\(report.items)")
    #expect(report.items[0].outcome == "failed" && ["disk_full", "local_io"].contains(report.items[0].code))
  }

  @Test func `are made of a bag`() throws {
    try place.directory.makeDirectory("bag")
    try place.directory.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    let (first, second) = (try Self.small.hexDigest(), try Self.other.hexDigest())
    try place.directory.write("bag/manifest-sha256.txt", "\(first)  data/a\n\(second)  data/b\n")
    try place.directory.write("bag/fetch.txt", "\(server.url("/a")) - data/a\n\(server.url("/none")) - data/b\n")
    let result = try place.run("-i", "bag", "--report", "report")
    #expect(result.status == 8, "\(result.told)")
    let report = try report()
    #expect(try report.item("bag/data/a").outcome == "downloaded" && report.item("bag/data/b").outcome == "failed")
  }

  @Test func `have the bytes of a name that is not UTF-8`() throws {
    try place.directory.write("list", Array("\(server.url("/a"))\n out=".utf8) + [0xff, 0x0a])
    #expect(try place.run("-i", "list", "--report", "report").status == 0)
    let item = try #require(try report().items.first)
    #expect(item.text("path")?.hasSuffix("/\u{fffd}") == true && item.text("path_bytes")?.hasSuffix("2fff") == true)
  }

  @Test func `that cannot be written are refused before the start`() throws {
    try place.directory.makeDirectory("directory")
    for path in ["none/report", "directory", "/dev/full"] {
      let result = try place.run("--report", path, server.url("/a"))
      #expect(result.status == 3 && result.errorText.contains("--report \(path): "), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.names == ["directory"])
  }

  @Test func `that cannot be written at the end leave the old file, with status 3`() throws {
    try place.directory.makeDirectory("d")
    try place.directory.write("d/report", "old")
    let slow = try ScriptedServer(FileService(["/a": mediumFile]) { $0.bytesPerSecondOfServer = 3e6 })
    let program = try place.start("--report", "d/report", slow.url("/a"))
    #expect(eventually { slow.bodyBytesSent > 100_000 })
    #expect(rename(place.directory.path("d"), place.directory.path("e")) == 0)
    let result = program.wait()
    #expect(result.status == 3 && result.errorText.contains("the file of --report d/report: "), "\(result.told)")
    #expect(try place.text("e/report") == "old" && place.holds("a", mediumFile))
  }

  @Test func `that cannot be written count more than a server's refusal`() throws {
    try place.directory.makeDirectory("d")
    let slow = try ScriptedServer(FileService(["/a": mediumFile]) { $0.bytesPerSecondOfServer = 3e6 })
    let program = try place.start("--report", "d/report", slow.url("/absent"), slow.url("/a"))
    #expect(eventually { slow.bodyBytesSent > 100_000 })
    #expect(rename(place.directory.path("d"), place.directory.path("e")) == 0)
    let result = program.wait()
    #expect(result.status == 3 && result.errorText.contains("404"), "\(result.told)")
  }

  @Test func `have the status of a run that has lost its standard output`() throws {
    var invocation = try place.invocation([
      "--progress", "json", "--report", "report", "--lock", "lock", server.url("/a"),
    ])
    invocation.outputPath = "/dev/full"
    let result = try place.run(invocation)
    #expect(result.status == 3 && result.errorText.contains("standard output"), "\(result.told)")
    #expect(try report().status == 3 && place.names == ["a", "lock", "report"])
    invocation.arguments.append(server.url("/none"))
    let refused = try place.run(invocation)
    #expect(refused.status == 3 && refused.errorText.contains("standard output"), "\(refused.told)")
  }

  @Test func `stay as they were where nothing starts`() throws {
    try place.directory.write("report", "old")
    try place.directory.write("list", "\u{1}\n")
    for arguments in [["-i", "list"], ["-i", "absent"], ["--unknown", server.url("/a")]] {
      let result = try place.run(place.invocation(["--report", "report"] + arguments))
      #expect(result.status != 0, "\(result.told)")
      #expect(try place.text("report") == "old")
    }
  }

  @Test func `do not replace what the run reads or writes for another purpose`() throws {
    let list = "\(server.url("/a"))\n"
    try place.directory.write("list", list)
    for arguments in [
      ["-i", "list", "--report", "list"], ["-i", "list", "--report", "f", "--lock", "f"],
      ["-i", "list", "--report", "f", "--log", "f"], ["-i", "list", "--report", "f", "--failed", "f"],
      [server.url("/a"), "-d", ".", "-o", "f", "--report", "./f"],
    ] {
      let result = try place.run(place.invocation(arguments))
      #expect(result.status == 2 && result.errorText.contains("name the same file"), "\(result.told)")
    }
    #expect(server.requests.isEmpty)
    #expect(try place.text("list") == list)
  }

  @Test(arguments: [
    (["--report", "-"], "./- is one"), (["--report", "x.swiftget"], "reserved"),
    (["--report", "f", "--check"], "--check"),
  ])
  func `are refused with options that contradict them`(arguments: [String], words: String) throws {
    let result = try place.run(place.invocation(arguments + [server.url("/a")]))
    #expect(result.status == 2 && result.errorText.contains(words), "\(result.told)")
    #expect(server.requests.isEmpty && place.names.isEmpty)
  }
}
