import TestSupport
import Testing

/// `--keep-going`.
@Suite(.waiting) struct `Wrong lines of lists` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let content = Content.text("0123456789")

  init() throws {
    place = try Workplace()
    let files = FileService(["/a": Self.content, "/b": Self.content, "/c": Self.content])
    server = try ScriptedServer { files.steps(for: $0) }
  }

  private func url(_ name: String) -> String { server.url("/\(name)") }

  @Test func `are told and left out, and the others are downloaded`() throws {
    let list = "\(url("a"))\nnonsense\n\(url("b"))\n\nftp://h/x\n\(url("c"))#md5=0\n"
    try place.directory.write("list", list)
    let refused = try place.run("-i", "list", "-d", "t")
    #expect(refused.status == 2 && !place.names.contains("t"), "\(refused.told)")
    for arguments in [["--failed", "failed"], ["--shard", "1/1"], ["--check"]] {
      let result = try place.run(place.invocation(["--keep-going", "-i", "list", "-d", "t"] + arguments))
      #expect(result.status == 2, "\(arguments) \(result.told)")
      for line in ["list:2:", "list:5:", "list:6:"] { #expect(result.errorText.contains(line), "\(result.told)") }
      #expect(result.errorText.contains("the lists have 3 errors; "), "\(result.told)")
      #expect(place.directory.names(in: "t") == ["a", "b"], "\(result.told)")
    }
    let failed = try place.text("failed")
    #expect(failed.split(separator: "\n").count == 6 && failed.contains("\n# ftp://h/x\n# list:6: "), "\(failed)")
    #expect(try place.run("-i", "failed", "-d", "t").status == 0)
  }

  @Test func `are counted at the end, too, whatever else is told`() throws {
    try place.directory.write("list", "\(url("a"))\nnonsense\n\(url("b"))\nftp://h/x\n")
    let last = "swiftget: 2 wrong entries in the lists skipped; the exit status is 2\n"
    // The second run finds everything in place.
    for arguments in [[], [], ["-q"], ["--progress", "json"], ["--check"], ["--dry-run"], ["--spider"]] {
      let result = try place.run(
        place.invocation(["--keep-going", "-i", "list", "-d", "t", "--log", "log"] + arguments))
      #expect(result.status == 2 && result.errorText.hasSuffix(last), "\(arguments) \(result.told)")
      let log = try place.text("log").split(separator: "\n")
      #expect(log.dropLast().last?.hasSuffix(last.dropLast()) == true, "\(arguments): \(log)")
    }
    try place.directory.write("list", "\(url("a"))\nnonsense\n\(url("none"))\n")
    let failed = try place.run("--keep-going", "-i", "list", "-d", "t")
    #expect(failed.status == 2 && failed.errorText.contains("swiftget: 1 wrong entry in the lists skipped"))
  }

  @Test func `are told in a report`() throws {
    let list = "\(url("a"))\nnonsense\nhttp://u:secret@h:x/\n"
    try place.directory.write("list", list)
    #expect(try place.run("--keep-going", "-i", "list", "-d", "t", "--report", "one").status == 2)
    let report = try ReadReport(try place.text("one"))
    #expect(report.status == 2 && report.items.count == 1 && report.invalidCount == 2)
    #expect(report.invalidMessages.map { $0.prefix(7) } == ["list:2:", "list:3:"], "\(report.invalidMessages)")
    #expect(!report.invalidMessages.joined().contains("secret"))
    try place.directory.write("list", "\(url("a"))\n")
    #expect(try place.run("--keep-going", "-i", "list", "-d", "t", "--report", "one").status == 0)
    #expect(try ReadReport(try place.text("one")).invalidCount == nil)
  }

  @Test func `do not hide a failure, and leave an older lock file`() throws {
    try place.directory.write("list", "\(url("a"))\nnonsense\n\(url("none"))\n")
    try place.directory.write("lock", "old")
    let result = try place.run("--keep-going", "-i", "list", "-d", "t", "--lock", "lock", "--failed", "failed")
    #expect(result.status == 2 && result.errorText.contains("404"), "\(result.told)")
    #expect(try place.text("lock") == "old" && place.text("failed").contains("\n\(url("none"))\n"))
    #expect(place.directory.names(in: "t") == ["a"])
  }

  @Test(arguments: [("list.jsonl", true), ("list", false)])
  func `are missed in a list of failed files that has no comments, which is told`(list: String, isTold: Bool) throws {
    let lines = [("a", "x"), ("b", "x"), ("c", "y")].map { name, out in
      isTold ? "{\"url\": \"\(url(name))\", \"out\": \"\(out)\"}\n" : "\(url(name))\n out=\(out)\n"
    }
    try place.directory.write(list, lines.joined())
    let result = try place.run("--keep-going", "-i", list, "-d", "t", "--failed", "failed")
    #expect(result.status == 2 && place.directory.names(in: "t") == ["y"], "\(result.told)")
    let warning = "swiftget: warning: failed does not have the wrong entries of the lists\n"
    #expect(result.errorText.contains(warning) == isTold, "\(result.told)")
    #expect(try place.text("failed").isEmpty == isTold)
  }

  @Test func `are shown up to the twentieth and counted`() throws {
    let lines = (1...30).map { "line\($0)\n" }.joined()
    try place.directory.write("list", lines + url("a") + "\n")
    let result = try place.run("--keep-going", "-q", "-i", "list", "-d", "t")
    #expect(result.status == 2 && place.holds("t/a", Self.content), "\(result.told)")
    #expect(result.errorText.contains("list:20:") && !result.errorText.contains("list:21:"), "\(result.told)")
    #expect(result.errorText.contains("30 errors, of which the first 20 are shown"), "\(result.told)")
  }

  @Test func `with one name for different files lose all of these`() throws {
    try place.directory.write(
      "list", "\(url("a"))\n out=x\n\(url("b"))\n out=x\n\(url("a"))\n out=x\n\(url("c"))\n\(url("c"))\n")
    for shard in ["1/1", "1/2", "2/2"] {
      let result = try place.run("--keep-going", "--shard", shard, "-v", "-i", "list", "-d", "t")
      #expect(result.status == 2 && result.errorText.contains("both be written to x"), "\(result.told)")
      #expect(result.errorText.contains(" of 1 file\n"), "\(result.told)")
    }
    #expect(place.directory.names(in: "t") == ["c"])
  }

  @Test func `are no excuse for a wrong command line`() throws {
    try place.directory.write("list", "\(url("a"))\nnonsense\n")
    for wrong in ["ftp://h/x", url("a").replacing("/a", with: "/b/a")] {
      let result = try place.run("--keep-going", "-i", "list", "-d", "t", wrong)
      #expect(result.status == 2 && !place.names.contains("t"), "\(wrong): \(result.told)")
    }
  }

  @Test func `that a lock file does not have are left out`() throws {
    try place.directory.write("one", "\(url("a"))\n")
    try place.directory.write("list", "\(url("a"))\n\(url("b"))\n")
    #expect(try place.run("-i", "one", "-d", "t", "--lock", "lock").status == 0)
    let result = try place.run("--keep-going", "--frozen", "lock", "-i", "list", "-d", "u")
    #expect(result.status == 2 && result.errorText.contains("is not in the lock file"), "\(result.told)")
    #expect(place.directory.names(in: "u") == ["a"])
  }
}
