import Glibc
import TestSupport
import Testing

/// 1,000 files, of which 100 fail in all ways that a server, a network and a directory know.
@Suite(.waiting) struct `A batch of a thousand files` {
  private let place: Workplace
  /// The files as they should be, by their names.
  private let truth: TemporaryDirectory
  private let server: RealServer
  private let secureServer: RealServer
  private let awkwardServer: ScriptedServer
  private let isRepaired = Locked(false)
  private let files: [File]

  private struct File {
    let name: String
    let content: Content
    /// Nil for a file that is right.
    let fault: BatchFault?
  }

  init() throws {
    place = try Workplace()
    truth = try TemporaryDirectory()
    let directives = BatchFault.directives
    server = try .nginx { $0.directives = directives }
    secureServer = try .nginx { $0.speaksTLS = true }
    files = Self.files()
    awkwardServer = try Self.awkwardServer(files, isRepaired)
  }

  // MARK: The batch

  /// Every tenth file fails; the kinds of faults alternate.
  private static func files() -> [File] {
    var faults: [BatchFault] = []
    for round in 0..<BatchFault.missing.fileCount {
      faults += BatchFault.allCases.filter { $0.fileCount > round }
    }
    return (0..<1000).map { number in
      let fault = number % 10 == 3 ? faults[number / 10] : nil
      // Some are large enough to be split.
      let least = fault == nil ? 0 : fault == .changing ? 60_000 : 12_000
      let length = number % 250 == 0 ? 3_000_001 : least + number * 37 % 20_000
      let content = Content.generated(seed: UInt64(number), byteCount: Int64(length))
      return File(name: "\(fault?.rawValue ?? "d\(number % 7)")/\(number)", content: content, fault: fault)
    }
  }

  /// Cuts its answers, or serves another version each time and ever more of it, until it is repaired.
  private static func awkwardServer(_ files: [File], _ isRepaired: Locked<Bool>) throws -> ScriptedServer {
    let contents = Dictionary(uniqueKeysWithValues: files.map { ("/" + $0.name, $0.content) })
    let service = FileService(contents)
    let counts = Locked<[String: Int]>([:])
    return try ScriptedServer { request in
      if isRepaired.withLock({ $0 }) { return service.steps(for: request) }
      guard let content = contents[request.path] else { return [.respond(404)] }
      let version = counts.withLock { counts in
        counts[request.path, default: 0] += request.path.hasPrefix("/changing/") ? 1 : 0
        return counts[request.path] ?? 0
      }
      let length = content.byteCount + Int64(version)
      let head = responseHead(200, [("ETag", "\"v\(version)\""), ("Content-Length", "\(length)")])
      return [.send(head), .send(content.bytes(in: 0..<Int64(5000 * (version + 1)))), .close]
    }
  }

  private func url(_ file: File) -> String {
    let path = "/" + file.name
    switch file.fault {
    // Nobody listens there until the name has another address.
    case .refused: return "http://refusing.invalid:\(server.port)\(path)"
    case .unknownHost: return "http://unknown.invalid:\(server.port)\(path)"
    case .untrusted: return secureServer.url(path)
    case .truncated, .changing: return awkwardServer.url(path)
    default: return server.url(path)
    }
  }

  /// The list has digests, sizes, both or nothing.
  private func writeList() throws {
    for directory in Set(files.map { $0.name.prefix { $0 != "/" } }) { try truth.makeDirectory(String(directory)) }
    for file in files { try file.content.write(to: truth.path(file.name)) }
    let sums = try ProgramInvocation.shell("cd '\(truth.path)' && sha256sum */*")
    let digests = Dictionary(
      uniqueKeysWithValues: sums.outputText.split(separator: "\n").map { line in
        (String(line.dropFirst(66)), String(line.prefix(64)))
      })
    let lines = try files.enumerated().map { number, file in
      var line = "{\"url\": \"\(url(file))\", \"out\": \"\(file.name)\""
      let isPlain = file.fault == .ownFile || file.fault == .truncated || file.fault == .changing
      if !isPlain, number % 3 < 2 || file.fault != nil {
        line += ", \"checksum\": {\"sha256\": \"\(try #require(digests[file.name]))\"}"
      }
      if !isPlain, number % 3 < 1 || file.fault == .wrongSize { line += ", \"size\": \(file.content.byteCount)" }
      return line + "}\n"
    }
    try place.directory.write("list", lines.joined())
    try place.directory.write("sums", sums.outputText)
  }

  /// What the servers have at first, and what is in the way.
  private func provokeFaults() throws {
    for file in files {
      switch file.fault {
      case nil: try server.serve(file.name, file.content)
      case .wrongContent:
        try server.serve(file.name, .generated(seed: 5_000, byteCount: file.content.byteCount))
      case .wrongSize: try server.serve(file.name, .generated(seed: 5_001, byteCount: file.content.byteCount - 1))
      case .tooLarge: try server.serve(file.name, .generated(seed: 5_002, byteCount: 4_000_001))
      case .obstructed, .parentIsFile, .ownFile, .refused, .unknownHost: try server.serve(file.name, file.content)
      case .untrusted: try secureServer.serve(file.name, file.content)
      default: break
      }
    }
    try place.directory.makeDirectory("t")
    try place.directory.makeDirectory("t/obstructed")
    try place.directory.makeDirectory("t/ownFile")
    try place.directory.write("t/parentIsFile", "mine")
    for file in files where file.fault == .obstructed { try place.directory.makeDirectory("t/" + file.name) }
    for file in files where file.fault == .ownFile { try place.directory.write("t/" + file.name, "mine") }
  }

  private func repair() throws {
    isRepaired.withLock { $0 = true }
    for file in files where file.fault != nil && file.fault != .untrusted {
      try server.serve(file.name, file.content)
    }
    let obstacles = try ProgramInvocation.shell(
      "cd '\(place.directory.path("t"))' && rmdir obstructed/* && rm -r parentIsFile ownFile")
    #expect(obstacles.status == 0, "\(obstacles.told)")
  }

  // MARK: Runs

  private func run(_ arguments: String..., address: String = "127.0.0.1") throws -> ProgramResult {
    let hosts = ["refusing.invalid"] + (isRepaired.withLock { $0 } ? ["unknown.invalid"] : [])
    let addresses = hosts.flatMap { ["--resolve", "\($0):\(server.port):\(address)"] }
    return try place.run(place.invocation(["-d", "t", "--report", "report"] + addresses + arguments))
  }

  /// The files below the target directory.
  private func fileNames() throws -> Set<String> {
    let found = try ProgramInvocation.shell("cd '\(place.directory.path("t"))' && find . -type f -printf '%P\\n'")
    return Set(found.outputText.split(separator: "\n").map(String.init))
  }

  private func expectContents(of files: [File]) throws {
    let names = Set(files.map(\.name))
    let sums = try place.text("sums").split(separator: "\n").filter { names.contains(String($0.dropFirst(66))) }
    #expect(sums.count == names.count)
    try place.directory.write("wanted", sums.joined(separator: "\n") + "\n")
    let check = try ProgramInvocation.shell("cd '\(place.directory.path("t"))' && sha256sum --quiet -c ../wanted")
    #expect(check.status == 0, "\(check.told)")
  }

  @Test func `gets what can be got, tells what failed, and then the rest`() throws {
    try provokeFaults()
    try writeList()
    let right = files.filter { $0.fault == nil }
    let wrong = files.filter { $0.fault != nil }
    #expect(right.count == 900 && wrong.count == 100)

    // 127.0.0.2 is this machine, and nginx does not listen there.
    let first = try run("-i", "list", "-t", "2", "--max-filesize", "3.5M", "--failed", "failed", address: "127.0.0.2")
    #expect(first.status == 3, "\(first.told.suffix(4000))")
    try expectContents(of: right)
    try expectReport(status: 3)
    try expectFailedList(wrong)
    expectCounts(first.errorText)
    let own = wrong.filter { $0.fault == .ownFile }
    let untouched = own.map { "t/" + $0.name } + ["t/parentIsFile"]
    #expect(untouched.allSatisfy { place.holds($0, .text("mine")) })
    let others = try fileNames().subtracting((right + own).map(\.name)).subtracting(["parentIsFile"])
    #expect(others == leftovers(of: wrong), "\(others.symmetricDifference(leftovers(of: wrong)))")

    try repair()
    let second = try run("-i", "failed", "--cacert", TestAuthority.shared().authorityPath, "--failed", "rest")
    #expect(second.status == 0 && second.errorText.contains("100 files downloaded"), "\(second.told.suffix(4000))")
    #expect(try place.text("rest").isEmpty)
    try expectContents(of: files)
    #expect(try fileNames() == Set(files.map(\.name)))

    let bytes = awkwardServer.bodyBytesSent
    let third = try run("-i", "list", "--cacert", TestAuthority.shared().authorityPath)
    #expect(third.status == 0 && third.errorText.isEmpty, "\(third.told.suffix(4000))")
    #expect(try place.text("report").replacing(" ", with: "").contains("\"kept\":1000,"))
    #expect(awkwardServer.bodyBytesSent == bytes)
  }

  /// What another run goes on from, and content that was set aside.
  private func leftovers(of wrong: [File]) -> Set<String> {
    Set(
      wrong.flatMap { file -> [String] in
        switch file.fault {
        case .truncated, .changing: [file.name + ".swiftget", file.name + ".swiftget-part"]
        case .wrongContent: [file.name + ".swiftget-bad"]
        default: []
        }
      })
  }

  private func expectReport(status: Int) throws {
    let report = try ReadReport(try place.text("report"))
    #expect(report.status == status && report.total("downloaded") == 900 && report.total("failed") == 100)
    let base = place.directory.path("t/")
    let items = Dictionary(grouping: report.items) { ($0.text("path") ?? "").dropFirst(base.count) }
    #expect(items.count == 1000)
    for (number, file) in files.enumerated() {
      guard let item = items[Substring(file.name)]?.first else {
        Issue.record("no item for \(file.name)")
        continue
      }
      #expect(item.source == "list:\(number + 1)")
      #expect(item.outcome == (file.fault == nil ? "downloaded" : "failed"), "\(file.name): \(item.error)")
      #expect(item.code == file.fault?.code ?? "", "\(file.name): \(item.error)")
    }
  }

  private func expectFailedList(_ wrong: [File]) throws {
    let lines = try place.text("failed").split(separator: "\n")
    #expect(lines.count == wrong.count)
    for (line, file) in zip(lines, wrong) {
      #expect(line.contains("\"url\": \"\(url(file))\"") && line.contains("\"out\": \"\(file.name)\""), "\(line)")
      #expect(line.contains("\"reason\": \""), "\(line)")
    }
  }

  /// The counts at the end, which also name the files: none has more than ten.
  private func expectCounts(_ text: String) {
    #expect(text.contains("swiftget: 900 files downloaded") && text.contains(", 100 failed\n"), "\(text.suffix(4000))")
    for fault in BatchFault.allCases {
      let line = "swiftget: \(fault.fileCount) files failed: \(fault.cause)\n"
      #expect(text.contains(line), "\(line)\(text.suffix(6000))")
    }
    for file in files where file.fault != nil { #expect(text.contains("\n  \(file.name)\n"), "\(file.name)") }
  }
}
