import TestSupport
import Testing

/// `--merge-reports`.
@Suite struct `Merged reports` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": .text("0123456789"), "/b": .text("abc")]))
  }

  private func makeReports() throws -> [ReadReport] {
    for (name, paths) in [("one", ["/a", "/none"]), ("two", ["/b"]), ("three", [])] {
      try place.directory.write("list", paths.map { server.url($0) + "\n" }.joined())
      _ = try place.run("-q", "-d", "t", "-i", "list", "--report", name)
    }
    return try ["one", "two", "three"].map { try ReadReport(try place.text($0)) }
  }

  @Test func `have the items of all and the sums`() throws {
    let reports = try makeReports()
    let result = try place.run("--merge-reports", "one", "two", "three")
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.told)")
    let merged = try ReadReport(result.outputText)
    #expect(merged.status == 8 && merged.items.count == 3 && merged.total("failed") == 1)
    #expect(merged.items.map { $0.text("path") } == reports.flatMap { $0.items.map { $0.text("path") } })
    #expect(merged.total("bytes_total") == 13 && merged.total("bytes_fetched") == 13)
    #expect(merged.text("started") == reports[0].text("started") && merged.text("ended") == reports[2].text("ended"))
    #expect(
      merged.options == [
        "--retry-wait=0.05", "--quiet", "--dir=t", "--input-file=list", "--report=one", "--report=two",
        "--report=three",
      ])
    // The items stay as they were.
    let lines = Set(result.outputText.split(separator: "\n").map { $0.hasSuffix(",") ? $0.dropLast() : $0 })
    for name in ["one", "two"] {
      for line in try place.text(name).split(separator: "\n").dropFirst().dropLast() {
        #expect(lines.contains(line.hasSuffix(",") ? line.dropLast() : line), "\(line)")
      }
    }
    let reversed = try place.run("--merge-reports", "-o", "all", "two", "-", "three", input: try place.text("one"))
    #expect(reversed.status == 0 && reversed.outputText.isEmpty, "\(reversed.told)")
    let other = try ReadReport(try place.text("all"))
    #expect(other.text("started") == merged.text("started") && other.status == 8 && other.items.count == 3)
    // A merged report is one, too; here it is read and replaced.
    #expect(try place.run("--merge-reports", "-o", "all", "all", "all").status == 0)
    #expect(try ReadReport(try place.text("all")).items.count == 6)
  }

  @Test func `read reports that other programs have laid out`() throws {
    _ = try makeReports()
    let script = "import json, sys; json.dump(json.load(open('one')), open('pretty', 'w'), indent=2, sort_keys=True)"
    #expect(try runProgram("/usr/bin/python3", ["-c", script], directory: place.directory.path).status == 0)
    let result = try place.run("--merge-reports", "pretty")
    #expect(result.status == 0, "\(result.told)")
    #expect(try ReadReport(result.outputText).items.count == 2)
  }

  @Test(arguments: [
    ("\"version\":1", "\"version\":2", "its version is not 1"),
    ("\"status\":8", "\"status\":300", "'status' is missing"), ("\"status\":8,", "", "'status' is missing"),
    ("\"failed\":1", "\"failed\":2", "its totals do not fit its items"),
    ("\"failed\":1", "\"failed\":1e0", "'totals' is missing"), ("\n]}", "", "the JSON text ends inside a value"),
    ("\n]}", "\n]} x", "text follows"), ("Z\",\"ended", "\",\"ended", "'started' is missing"),
    ("\"outcome\":\"failed\"", "\"outcome\":\"lost\"", "'outcome' of item"),
    ("\"retries\":0", "\"retries\":\"0\"", "'retries' of item 1 is missing"),
    ("{\"item\":1", "{\"item\":1.", ": the text is not valid JSON"),
    ("\"options\":[{", "\"options\":[[{", "ends inside"), ("\"items\":[", "\"itemz\":[", "'items' is missing"),
    ("\"items\":[", "\"items\":7,\"x\":[", "'items' is missing"), ("\"name\":", "\"title\":", "'options' is missing"),
  ]) func `are not made of what is no report`(text: String, replacement: String, reason: String) throws {
    _ = try makeReports()
    try place.directory.write("all", "old")
    try place.directory.write("bad", try place.text("one").replacing(text, with: replacement, maxReplacements: 1))
    for output in [[], ["-o", "all"]] {
      let result = try place.run(place.invocation(["--merge-reports", "two", "bad"] + output))
      #expect(result.status == 2 && result.outputText.isEmpty, "\(result.told)")
      #expect(
        result.errorText.hasPrefix("swiftget: the report bad: ") && result.errorText.contains(reason), "\(result.told)")
      #expect(try place.text("all") == "old")
    }
  }

  @Test(arguments: [
    "[]", "3", " {}", "null", "\"text\"", "[{\"version\":1}]", "{\"url\":\"https://h/a\"}\n{\"url\":\"https://h/b\"}\n",
    "https://h/a\n",
  ]) func `are not made of other files`(text: String) throws {
    try place.directory.write("other", text)
    let result = try place.run("--merge-reports", "other")
    let words =
      "swiftget: the report other: the file is no report of swiftget\nhint: name files that --report has written\n"
    #expect(result.status == 2 && result.errorText == words, "\(result.told)")
  }

  @Test(arguments: ["bytes_fetched", "bytes_total"])
  func `are not made where the sums do not fit into 64 bits`(sum: String) throws {
    _ = try makeReports()
    try place.directory.write(
      "largest", try place.text("one").replacing("\"\(sum)\":10,", with: "\"\(sum)\":\(Int64.max),"))
    let alone = try place.run("--merge-reports", "largest", "three")
    #expect(alone.status == 0 && alone.outputText.contains("\"\(sum)\":\(Int64.max),"), "\(alone.told)")
    let result = try place.run("--merge-reports", "largest", "two")
    #expect(
      result.status == 2 && result.errorText.contains("the report two: its totals are too large"), "\(result.told)")
  }

  @Test func `tell what cannot be read or written`() throws {
    _ = try makeReports()
    try place.directory.write("empty", "")
    for (name, reason) in [("absent", "No such file"), ("t", "Is a directory"), ("empty", "ends inside")] {
      let result = try place.run("--merge-reports", name)
      #expect(result.status == (name == "t" ? 3 : 2) && result.errorText.contains(reason), "\(result.told)")
    }
    for output in ["/dev/full", "none/all", "t"] {
      let result = try place.run("--merge-reports", "one", "-o", output)
      #expect(result.status == 3 && result.errorText.contains(output), "\(result.told)")
    }
    var full = ProgramInvocation("/bin/sh", ["-c", "\"$0\" --merge-reports one > /dev/full", try swiftgetPath()])
    full.directory = place.directory.path
    let result = try place.run(full)
    #expect(result.status == 3 && result.errorText.contains("standard output"), "\(result.told)")
  }

  @Test(arguments: [
    ([], "needs the names"), (["-i", "x", "y"], "downloads nothing"), (["https://h/r"], "not https://h/r"),
    (["x", "--check"], "cannot be done together"), (["x", "--report", "y"], "--report has no meaning"),
    (["x", "--exclude", "y"], "--exclude has no"),
  ]) func `are refused with what they have no use for`(arguments: [String], words: String) throws {
    let result = try place.run(place.invocation(["--merge-reports"] + arguments))
    #expect(result.status == 2 && result.errorText.contains(words), "\(result.told)")
  }
}
