import DownloadCore
import TestSupport
import Testing

@testable import CommandManual

/// `swiftget help lists`.
@Suite(.waiting) struct `Help about lists` {
  private static let sha256 = String(repeating: "0123456789abcdef", count: 4)
  private static let digest = "\"sha256\":\"\(sha256)\""

  /// What the recipes read, by the names of their lists, reduced.
  private static let lists = [
    "repodata.json": "{\"packages.conda\":{\"a-1.conda\":{\(digest),\"size\":1}}}",
    "dumpstatus.json":
      "{\"jobs\":{\"x\":{\"status\":\"done\",\"files\":{\"a\":{\"url\":\"/w/a\",\"sha1\":\"\(sha256.prefix(40))\"}}},\"y\":{\"status\":\"waiting\"}}}",
    "search.json":
      "{\"features\":[{\"assets\":{\"B\":{\"href\":\"https://h/a\",\"file:checksum\":\"1220\(sha256)\"}}}]}",
    "ro-crate-metadata.json":
      "{\"@graph\":[{\"@id\":\"a\",\"@type\":\"File\"},{\"@id\":\"./\",\"@type\":\"Dataset\"}]}",
    "croissant.json":
      "{\"distribution\":[{\"@type\":\"cr:FileObject\",\"contentUrl\":\"https://h/a\",\(digest)},{\"@type\":\"cr:FileSet\"}]}",
    "dataset.json": "{\"files\":[{\"dataFile\":{\"id\":7,\"filename\":\"a\",\"md5\":\"\(sha256.prefix(32))\"}}]}",
    "package-lock.json":
      "{\"packages\":{\"\":{\"name\":\"p\"},\"node_modules/a\":{\"resolved\":\"https://h/a.tgz\",\"integrity\":\"sha256:\(sha256)\"}}}",
    "formula.json": "{\"bottle\":{\"stable\":{\"files\":{\"a\":{\"url\":\"https://h/x\",\(digest)}}}}}",
    "tree.json": "[{\"path\":\"a\",\"size\":1,\"lfs\":{\"oid\":\"\(sha256)\"}}]",
    "url_checksums.txt": "https://h/a 1 \(sha256)\n",
  ]

  private let place: Workplace

  init() throws { place = try Workplace() }

  private func planned(_ arguments: [String]) throws -> ProgramResult {
    try place.run(place.invocation(["--dry-run"] + arguments))
  }

  @Test func `shows a list of each format but those that options choose`() throws {
    #expect(Set(ListsPage.kinds.map(\.format)) == Set(ListFormat.allCases).subtracting([.fields]))
    let page = try place.run("help", "lists")
    #expect(page.status == 0)
    for kind in ListsPage.kinds {
      for line in kind.example { #expect(page.outputText.contains(line)) }
      let text = kind.example.joined(separator: "\n").replacing("HEX", with: Self.sha256) + "\n"
      #expect(ListDetector.format(of: text.utf8) == kind.format, "\(kind.format)")
      try place.directory.write("list", text)
      let without = try planned(["-i", "list"])
      #expect(without.status == (kind.needsBase ? 2 : 0), "\(kind.format): \(without.told)")
      let result = try planned(["-i", "list", "--base-url", "https://example.org/"])
      #expect(result.status == 0 && result.outputText.contains(": fetch\n"), "\(kind.format): \(result.told)")
    }
  }

  @Test(arguments: ListsPage.recipes.indices)
  func `shows how other lists are read`(index: Int) throws {
    let recipe = ListsPage.recipes[index]
    let page = try place.run("help", "lists").outputText
    let shown = recipe.command.map { "  \($0)" }.joined(separator: " \\\n")
    #expect(page.contains(shown))
    let arguments = try ManualExamples.arguments(shown.replacing("\\\n", with: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    let name = try #require(arguments.first { Self.lists.keys.contains($0) })
    try place.directory.write(name, try #require(Self.lists[name]))
    let result = try planned(arguments)
    #expect(result.status == 0 && result.outputText.split(separator: "\n").count == 1, "\(name): \(result.told)")
    #expect(result.outputText.contains(": fetch\n"), "\(name): \(result.told)")
  }
}
