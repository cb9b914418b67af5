import DownloadEvents
import Foundation
import TestSupport
import Testing

/// Every kind of JSON that the program writes for programs, held against `share/swiftget/output.schema.json`.
@Suite(.waiting) struct `JSON for programs` {
  private let place: Workplace
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": .text("0123456789"), "/b": mediumFile, "/c%ff": .text("c")]))
    try place.directory.write(
      "list", "\(server.url("/a"))\n\(server.url("/b?k=1"))\n out=b\n\(server.url("/none"))\n\(server.url("/c%ff"))\n")
  }

  /// The types of the objects, all of which must fit the schema.
  private func types(_ text: String) throws -> Set<String> {
    let lines = text.split(separator: "\n").map(String.init)
    #expect(!lines.isEmpty)
    if JSONSchema.isAvailable {
      for (line, problem) in zip(lines, try JSONSchema("output.schema.json").problems(lines)) where !problem.isEmpty {
        Issue.record("\(problem): \(line)")
      }
    }
    return try Set(
      lines.map { line in
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        return try #require(object["type"] as? String)
      })
  }

  @Test func `of a download, its log and its report fits the schema`() throws {
    let result = try place.run(
      "-v", "--progress", "json", "-i", "list", "--log", "log", "--log-format", "json", "--report", "report", "-d", "t")
    #expect(result.status == 8, "\(result.told)")
    #expect(
      try types(result.outputText).isSuperset(of: ["start", "list", "item_start", "progress", "item_end", "end"]),
      "\(result.outputText)")
    #expect(
      try types(place.text("log")).isSuperset(of: ["start", "list", "item_start", "item_end", "end", "exit"]))
    let report = try ReadReport(place.text("report"))
    #expect(report.status == 8 && report.items.count == 4)
    // An item of the report is the event of its end.
    let again = try place.run("-i", "list", "-i", "gone", "--log", "log", "--log-format", "json")
    #expect(again.status == 2)
    #expect(try types(place.text("log")).contains("message"))
  }

  @Test func `of what is not started fits the schema`() throws {
    try place.directory.write("more", "nonsense\n\(server.url("/none"))\n\(server.url("/none2"))\n")
    let result = try place.run(
      "--max-failures", "0", "-j", "1", "--keep-going", "-i", "more", "--report", "report", "--progress", "json")
    #expect(result.status == 2, "\(result.told)")
    _ = try types(result.outputText)
    let report = try ReadReport(place.text("report"))
    #expect(report.status == 2 && report.items.map(\.outcome) == ["failed", "not_started"] && report.invalidCount == 1)
  }

  @Test func `of a check, a dry run and the answers of servers fits the schema`() throws {
    let wrong = String(repeating: "0", count: 64)
    try place.directory.write("a", "0123456789")
    try place.directory.write(
      "sums", "\(wrong)  a\n\(wrong)  gone\n\(try Content.text("0123456789").hexDigest())  a2\n")
    try place.directory.write("a2", "0123456789")
    try place.directory.write("sizes.csv", "url,filename,size\nhttps://h/1,a,10\n")
    let lists = [["-i", "sums"], ["-i", "sizes.csv"], ["-i", "list"]]
    for list in lists {
      let check = try place.run(place.invocation(["--check", "--progress", "json"] + list))
      #expect(try types(check.outputText).isSuperset(of: ["start", "check", "end"]), "\(check.told)")
    }
    let plan = try place.run("--dry-run", "--progress", "json", "-i", "list")
    #expect(try types(plan.outputText) == ["start", "plan", "end"], "\(plan.told)")
    try place.directory.makeDirectory("none")
    let refused = try place.run("--dry-run", "--progress", "json", "-i", "list")
    #expect(refused.status == 3 && refused.outputText.contains(#""error":{"code":"local_io""#), "\(refused.told)")
    #expect(try types(refused.outputText) == ["start", "plan", "end"])
    let spider = try place.run("--spider", "--progress", "json", "-i", "list")
    #expect(try types(spider.outputText) == ["start", "url", "end"], "\(spider.told)")
  }

  @Test func `of the check of a bag fits the schema`() throws {
    try BagMaker(place).write()
    try place.directory.write("bag/data/extra", "extra")
    try place.directory.write("bag/bag-info.txt", "Payload-Oxum: 1.1\n")
    let result = try place.run("--check", "--progress", "json", "-i", "bag")
    #expect(result.outputText.contains(#""outcome":"contradiction""#), "\(result.outputText)")
    #expect(try types(result.outputText).isSuperset(of: ["start", "check", "end"]), "\(result.told)")
  }

  /// The status of the last object is that of the process.
  @Test(arguments: [["--check"], ["--dry-run"], ["--spider"], []])
  func `ends with the exit status, wrong entries of lists included`(verb: [String]) throws {
    try place.directory.write("a", "0123456789")
    try place.directory.write("wrong", "\(server.url("/a"))\nnonsense\n")
    let result = try place.run(place.invocation(verb + ["--progress", "json", "--keep-going", "-i", "wrong"]))
    let last = try #require(result.outputText.split(separator: "\n").last)
    #expect(result.status == 2 && last.contains(#""type":"end""#) && last.contains(#""status":2,"#), "\(last)")
  }

  @Test func `has no name that is not snake case, and the schema describes all`() throws {
    let path = #filePath.dropLast("/Tests/CommandTests/Program/OutputSchemaTests.swift".count)
    let data = try #require(FileManager.default.contents(atPath: path + "/share/swiftget/output.schema.json"))
    var described: Set<String> = []
    func collect(_ value: Any) {
      if let object = value as? [String: Any] {
        if let properties = object["properties"] as? [String: Any] { described.formUnion(properties.keys) }
        object.values.forEach(collect)
      } else if let array = value as? [Any] {
        array.forEach(collect)
      }
    }
    collect(try JSONSerialization.jsonObject(with: data))
    let keys = Set(OutputKey.allCases.map(\.rawValue))
    #expect(keys.subtracting(described).isEmpty)
    // The names of actions are those of their counts.
    let others = described.subtracting(keys).filter { !$0.hasSuffix("_bytes") }
    #expect(others == ["skip", "check", "ask", "resume", "fetch", "replace", "refuse"])
    let names = described.union(OutputType.allCases.map(\.rawValue))
    #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
  }
}
