import Glibc
import TestSupport
import Testing

@Suite(.serialized, .waiting) struct `Scarce resources` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func run(limited limit: String, _ arguments: [String]) throws -> ProgramResult {
    var invocation = try place.invocation(arguments)
    invocation.arguments = ["-c", "\(limit) && exec \"$0\" \"$@\"", invocation.path] + invocation.arguments
    invocation.path = "/bin/bash"
    return try place.run(invocation)
  }

  @Test func `a full disk is reported, and the run continues when there is space`() throws {
    let disk = place.directory.path("disk")
    try place.directory.makeDirectory("disk")
    let mounted = try runProgram("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk])
    guard mounted.status == 0 else {
      print("not run, for a file system may not be mounted here: \(mounted.errorText)")
      return
    }
    defer { _ = try? runProgram("/usr/bin/umount", ["-l", disk]) }
    let server = try ScriptedServer(FileService(["/f": mediumFile, "/g": .text("small")]))
    // The size is known before the first byte, so the space is checked before and during the download.
    let result = try place.run("-d", "disk", server.url("/f"))
    #expect(result.status == 3, "\(result.told)")
    #expect(result.errorText.lowercased().contains("space") || result.errorText.contains("disk full"), "\(result.told)")
    #expect(!fileExists("\(disk)/f"))
    let grown = try runProgram("/usr/bin/mount", ["-o", "remount,size=40m", disk])
    #expect(grown.status == 0)
    let second = try place.run("-d", "disk", server.url("/f"))
    #expect(second.status == 0 && place.holds("disk/f", mediumFile), "\(second.told)")
    #expect(place.directory.names(in: "disk") == ["f"])
  }

  @Test(arguments: [FileService.Behaviour.Framing.contentLength, .chunked])
  func `a disk that fills up during the download keeps the recorded bytes`(framing: FileService.Behaviour.Framing)
    throws
  {
    let disk = place.directory.path("disk")
    try place.directory.makeDirectory("disk")
    let mounted = try runProgram("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=40m", "tmpfs", disk])
    guard mounted.status == 0 else {
      print("not run, for a file system may not be mounted here: \(mounted.errorText)")
      return
    }
    defer { _ = try? runProgram("/usr/bin/umount", ["-l", disk]) }
    let large = Content.generated(seed: 31, byteCount: 20_000_000)
    let service = FileService(["/f": large]) {
      $0.bytesPerSecondOfServer = 8e6
      $0.framing = framing
    }
    let server = try ScriptedServer(service)
    let program = try place.start("-d", "disk", server.url("/f"))
    #expect(eventually { recordedByteCount(of: "\(disk)/f") > 2_000_000 })
    // All remaining space, except for what the run has used.
    _ = try? runProgram("/bin/dd", ["if=/dev/zero", "of=\(disk)/other", "bs=64k"])
    let result = program.wait()
    #expect(result.status == 3 && !result.timedOut, "\(result.told)")
    #expect(result.errorText.lowercased().contains("space") || result.errorText.contains("disk full"), "\(result.told)")
    #expect(!fileExists("\(disk)/f"))
    unlink("\(disk)/other")
    service.change { $0.bytesPerSecondOfServer = nil }
    let before = server.requests.count
    let second = try place.run("-d", "disk", server.url("/f"))
    #expect(second.status == 0 && place.holds("disk/f", large), "\(second.told)")
    // Ranges may be asked for twice on a busy machine, but not those that were recorded first.
    let ranges = server.requests.dropFirst(before).map { $0.rangeHeader ?? "none" }
    #expect(!ranges.isEmpty && ranges.allSatisfy { $0 != "none" && !$0.hasPrefix("bytes=0-") }, "\(ranges)")
  }

  /// A small file system; nil if mounting is not allowed.
  private func smallDisk(_ size: String) throws -> String? {
    let disk = place.directory.path("disk")
    try place.directory.makeDirectory("disk")
    let mounted = try runProgram("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", disk])
    if mounted.status == 0 { return disk }
    print("not run, for a file system may not be mounted here: \(mounted.errorText)")
    return nil
  }

  @Test func `a file that fits only without the others fails alone`() throws {
    guard let disk = try smallDisk("16m") else { return }
    defer { _ = try? runProgram("/usr/bin/umount", ["-l", disk]) }
    let large = Content.generated(seed: 31, byteCount: 10_000_000)
    let service = FileService(["/a": large, "/b": large, "/c": .text("small")]) { $0.bytesPerSecondOfServer = 6e6 }
    let server = try ScriptedServer(service)
    let result = try place.run("-d", "disk", server.url("/a"), server.url("/b"), server.url("/c"))
    #expect(result.status == 3, "\(result.told)")
    #expect(result.errorText.contains("for downloads in progress"), "\(result.told)")
    #expect(!result.errorText.contains("stopped"), "\(result.told)")
    let whole = ["a", "b"].filter { place.holds("disk/\($0)", large) }
    #expect(whole.count == 1 && place.holds("disk/c", .text("small")), "\(result.told)")
    #expect(place.directory.names(in: "disk") == whole + ["c"])
    #expect(try runProgram("/usr/bin/mount", ["-o", "remount,size=40m", disk]).status == 0)
    let second = try place.run("-d", "disk", server.url("/a"), server.url("/b"), server.url("/c"))
    #expect(second.status == 0 && place.directory.names(in: "disk") == ["a", "b", "c"], "\(second.told)")
  }

  @Test func `a resumed file without space fails alone and keeps its record`() throws {
    guard let disk = try smallDisk("40m") else { return }
    defer { _ = try? runProgram("/usr/bin/umount", ["-l", disk]) }
    let large = Content.generated(seed: 31, byteCount: 20_000_000)
    let service = FileService(["/a": large, "/c": .text("small")]) { $0.bytesPerSecondOfServer = 8e6 }
    let server = try ScriptedServer(service)
    let program = try place.start("-d", "disk", server.url("/a"))
    #expect(eventually { server.bodyBytesSent > 6_000_000 })
    program.kill(SIGINT)
    _ = program.wait()
    try Content.generated(seed: 1, byteCount: 30_000_000).write(to: "\(disk)/other")
    let sent = server.bodyBytesSent
    let result = try place.run("-d", "disk", server.url("/a"), server.url("/c"))
    #expect(result.status == 3 && result.errorText.contains("not enough space"), "\(result.told)")
    #expect(place.holds("disk/c", .text("small")) && !result.errorText.contains("stopped"), "\(result.told)")
    #expect(place.directory.names(in: "disk") == ["a.swiftget", "a.swiftget-part", "c", "other"])
    unlink("\(disk)/other")
    service.change { $0.bytesPerSecondOfServer = nil }
    let second = try place.run("-d", "disk", server.url("/a"))
    #expect(second.status == 0 && place.holds("disk/a", large), "\(second.told)")
    #expect(server.bodyBytesSent - sent < 17_000_000)
  }

  @Test func `a disk that fills up leaves a report of every file`() throws {
    guard let disk = try smallDisk("16m") else { return }
    defer { _ = try? runProgram("/usr/bin/umount", ["-l", disk]) }
    let files = ["/a": mediumFile, "/b": otherMediumFile, "/c": .text("small")]
    let server = try ScriptedServer(FileService(files) { $0.bytesPerSecondOfServer = 2e6 })
    let program = try place.start(
      "-j", "2", "-d", "disk", "--report", "report", server.url("/a"), server.url("/b"), server.url("/c"))
    #expect(eventually { ["a", "b"].allSatisfy { recordedByteCount(of: "\(disk)/\($0)") > 500_000 } })
    _ = try? runProgram("/bin/dd", ["if=/dev/zero", "of=\(disk)/other", "bs=64k"])
    let result = program.wait()
    #expect(result.status == 3, "\(result.told)")
    let report = try ReadReport(place.text("report"))
    let begun = [try report.item("a"), try report.item("b")]
    #expect(
      Set(begun.map(\.outcome)) == ["failed", "unfinished"] && report.total("not_started") == 1, "\(result.told)")
    let fetched = begun.map { $0.number("bytes_fetched") ?? 0 }
    #expect(fetched.allSatisfy { $0 > 500_000 } && report.total("bytes_fetched") == fetched.reduce(0, +), "\(fetched)")
  }

  @Test func `after a full disk every file is counted`() throws {
    guard let disk = try smallDisk("4m") else { return }
    defer { _ = try? runProgram("/usr/bin/umount", ["-l", disk]) }
    let contents = (0..<60).map { Content.generated(seed: UInt64($0), byteCount: 200_000) }
    let files = Dictionary(uniqueKeysWithValues: contents.enumerated().map { ("/f\($0)", $1) })
    let server = try ScriptedServer(FileService(files))
    try place.directory.write("list", (0..<60).map { server.url("/f\($0)") + "\n" }.joined())
    let result = try place.run("-j", "4", "-d", "disk", "--progress", "json", "-i", "list")
    #expect(result.status == 3, "\(result.told)")
    let names = place.directory.names(in: "disk").filter { !$0.contains(".swiftget") }
    for name in names { #expect(place.holds("disk/\(name)", files["/\(name)"]!)) }
    let told = result.outputText.split(separator: "\n").filter { $0.contains("\"outcome\":\"downloaded\"") }
    #expect(!names.isEmpty && told.count == names.count, "\(names) \(result.outputText)")
    let end = try #require(result.outputText.split(separator: "\n").last)
    func count(_ key: String) -> Int {
      let parts = end.split(separator: "\"\(key)\":")
      return parts.count == 2 ? Int(parts[1].prefix { $0.isNumber }) ?? -1 : -1
    }
    #expect(count("downloaded") == names.count, "\(end)")
    #expect(count("not_started") > 0, "\(end)")
    let named = result.outputText.split(separator: "\n").filter { $0.contains("\"message\":\"not started\"") }
    #expect(named.count == min(20, count("not_started")), "\(result.outputText)")
    #expect(!named.contains { line in names.contains { line.contains("\"name\":\"\($0)\"") } })
    #expect(
      count("downloaded") + count("kept") + count("failed") + count("unfinished") + count("not_started") == 60, "\(end)"
    )
    let lines = try place.run("-j", "4", "-d", "disk", "-i", "list")
    #expect(lines.errorText.contains(" not started"), "\(lines.told)")
  }

  @Test func `64 descriptors are enough for 200 files`() throws {
    var files: [String: Content] = ["/large": mediumFile]
    for index in 0..<200 { files["/\(index)"] = .generated(seed: UInt64(index), byteCount: 30_000) }
    let server = try ScriptedServer(FileService(files) { $0.latency = .milliseconds(10) })
    try place.directory.write("list", files.keys.sorted().map { server.url($0) + "\n" }.joined())
    for arguments in [[], ["-j", "100", "--max-connections-per-host", "100"]] {
      let result = try run(limited: "ulimit -n 64", ["-d", "out\(arguments.count)", "-i", "list"] + arguments)
      #expect(result.status == 0, "\(result.told.suffix(1500))")
      #expect(place.directory.names(in: "out\(arguments.count)").count == 201)
    }
  }

  @Test(arguments: [9, 12, 16, 23, 29])
  func `too few descriptors for one file are told before the start`(limit: Int) throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    let result = try run(limited: "ulimit -n \(limit)", [server.url("/f")])
    #expect(result.status == 3 && result.errorText.contains("at most \(limit) files may be open"), "\(result.told)")
    #expect(result.errorText.contains("ulimit -n)") && place.names.isEmpty && server.requests.isEmpty)
    let enough = try run(limited: "ulimit -n 30", [server.url("/f")])
    #expect(enough.status == 0 && place.holds("f", mediumFile), "\(enough.told)")
  }

  @Test func `a limit on file sizes is a failure and not a signal`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile, "/g": .text("small")]))
    let result = try run(limited: "ulimit -f 1000", [server.url("/f"), server.url("/g")])
    #expect(result.status == 3, "\(result.told)")
    #expect(!place.names.contains("f") && place.holds("g", .text("small")))
    #expect(result.errorText.lowercased().contains("large"), "\(result.told)")
  }

  @Test(arguments: [[0], [1], [2], [0, 1, 2]] as [Set<Int32>])
  func `closed descriptors are harmless`(closed: Set<Int32>) throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    for arguments in [[], ["--progress", "json"], ["-q"]] {
      let place = try Workplace()
      var invocation = try place.invocation(arguments + [server.url("/f")])
      invocation.closedDescriptors = closed
      let result = try place.run(invocation)
      #expect(place.names == ["f"] && place.holds("f", mediumFile), "\(result.told)")
      #expect(result.status == 0 || closed.contains(1), "\(closed) \(arguments) \(result.told)")
    }
  }

  @Test(arguments: ["-o", "--progress"])
  func `a write error on standard output is a failure`(option: String) throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    var invocation = try place.invocation([option, option == "-o" ? "-" : "json", server.url("/f")])
    invocation.outputPath = "/dev/full"
    let result = try place.run(invocation)
    #expect(result.status == 3, "\(result.told)")
    #expect(!result.errorText.isEmpty)
  }

  @Test func `a closed reader is a failure and not a signal`() throws {
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    let path = try swiftgetPath()
    let script = "'\(path)' -o - '\(server.url("/f"))' | head -c 1000 >/dev/null; exit ${PIPESTATUS[0]}"
    let result = try runProgram("/bin/bash", ["-c", script], directory: place.directory.path)
    #expect(result.status == 3, "\(result.told)")
  }

  /// A sanitizer keeps freed memory for a while.
  @Test(.enabled(if: getenv("SWIFTGET_BINARY") != nil, "measures the release build only"))
  func `20,000 entries need little memory`() throws {
    let server = try ScriptedServer { request in
      [.respond(200, headers: [("ETag", "\"1\"")], body: Array(request.target.utf8))]
    }
    try place.directory.write("list", (0..<20_000).map { server.url("/\($0)") + "\n" }.joined())
    let result = try place.run("--no-sync", "-d", "out", "-i", "list")
    #expect(result.status == 0, "\(result.told.suffix(1000))")
    #expect(place.directory.names(in: "out").count == 20_000 && place.holds("out/777", .text("/777")))
    print("20,000 entries: \(result.peakResidentKiB) KiB, \(result.wallSeconds) s")
    #expect(result.peakResidentKiB < 60 << 10)
  }

  @Test(.enabled(if: getenv("SWIFTGET_BINARY") != nil, "measures the release build only"))
  func `lines that name a file again need little memory`() throws {
    var peaks: [Int64] = []
    let counts = [1000, 150_000]
    for count in counts {
      // The second line of each file says more about it.
      let first = (0..<count).map { "http://127.0.0.1:9/\($0),\n" }
      let second = (0..<count).map { "http://127.0.0.1:9/\($0),1\n" }
      try place.directory.write("list.csv", "url,size\n" + first.joined() + second.joined() + second.joined())
      let result = try place.run("--dry-run", "-q", "-d", "out", "-i", "list.csv")
      #expect(result.outputText.split(separator: "\n").count == count, "\(result.errorText.suffix(1000))")
      peaks.append(result.peakResidentKiB)
    }
    let byteCount = Double((peaks[1] - peaks[0]) << 10) / Double(3 * (counts[1] - counts[0]))
    print("\(byteCount) bytes for each line that names a file again")
    #expect(byteCount < 40)
  }

  @Test func `a second run on one target reports the process that holds it`() throws {
    let service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 3e6 }
    let server = try ScriptedServer(service)
    let first = try place.start(server.url("/f"))
    #expect(eventually { server.bodyBytesSent > 1_000_000 })
    let second = try place.run(server.url("/f"))
    #expect(second.status == 75, "\(second.told)")
    #expect(second.errorText.contains("\(first.identifier)"), "\(second.told)")
    #expect(first.wait().status == 0)
    #expect(place.names == ["f"] && place.holds("f", mediumFile))
  }
}
