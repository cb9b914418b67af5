import TestSupport
import Testing

@testable import DownloadCore

/// What stands around URLs.
@Suite struct `Decorated URLs` {
  private static let md5 = String(repeating: "0123456789abcdef", count: 2)
  private static let url = "https://h/a(1)?b=c,d"

  @Test(arguments: [
    "- \(url)", "*  \(url)", "+\t\(url)", "1. \(url)", "23)  \(url)", "\"\(url)\"", "'\(url)',", "\"\(url)\" ;",
    "<\(url)>", "- <\(url)>", "[a b](\(url))", "2. [](\(url))", "  - \(url)", "  \"\(url)\",",
  ])
  func `are read`(line: String) {
    let list = ReadList("https://h/1\n\(line)\r\nhttps://h/2\n")
    #expect(list.urls == [["https://h/1"], [Self.url], ["https://h/2"]] && list.errors == [])
  }

  @Test(arguments: [
    "\"https://h/a", "\"https://h/a\" x", "- a", "1.https://h/a", "-https://h/a", "[a](https://h/a) x",
    "[a] (https://h/a)",
    "[a](https://h/a \"t\")", "\"a\"", "1234567890. https://h/a", "- - https://h/a", "<a href=\"https://h/a\">",
  ])
  func `of another form stay as they are`(line: String) {
    #expect(LineDecoration.removed(from: Array(line.utf8)[...]) == nil)
    #expect(ReadList("https://h/1\n\(line)\n").urls.last != ["https://h/a"])
  }

  @Test func `may have digests and options, and a URL keeps its comma`() {
    let list = ReadList("- https://h/a md5:\(Self.md5)\n  out=x\nhttps://h/b,\n")
    #expect(list.urls == [["https://h/a"], ["https://h/b,"]] && list.errors == [])
    #expect(list.digests == [["md5:\(Self.md5)"], []] && list.entries[0].out == Array("x".utf8))
  }

  @Test func `of ENCODE begin with a quoted one`() {
    let list = ReadList(
      "\"https://h/metadata/?type=Experiment&accession=ENCSR000CBB\"\nhttps://h/files/F/@@download/F.fastq.gz\n")
    #expect(
      list.urls == [
        ["https://h/metadata/?type=Experiment&accession=ENCSR000CBB"], ["https://h/files/F/@@download/F.fastq.gz"],
      ])
    #expect(list.errors == [])
  }

  @Test func `of conda are below a line that says so`() {
    let list = ReadList("# platform: linux-64\n@EXPLICIT\nhttps://h/a-1.conda#\(Self.md5)\n@EXPLICI\n")
    #expect(list.urls == [["https://h/a-1.conda"]] && list.digests == [["md5:\(Self.md5)"]])
    #expect(list.errors == [ListError(lineNumber: 4, .notURL(Array("@EXPLICI".utf8)))])
  }

  @Test func `every line is a URL, a comment or wrong`() {
    let isFruitful = Fuzz.run { generator, seed in
      var lines: [String] = []
      var expected = (entries: 0, errors: 0)
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let line = ["- URL", "\"URL\",", "3. <URL>", "[x](URL)", "URL", "# URL", "- x", "@EXPLICIT"].randomElement(
          using: &generator)!
        lines.append(line.replacing("URL", with: Self.url))
        if line == "- x" { expected.errors += 1 } else if !"#@".contains(line.first!) { expected.entries += 1 }
      }
      let list = ReadList(lines.joined(separator: "\n"), partSize: Int.random(in: 1...99, using: &generator))
      #expect((list.entries.count, list.errors.count) == expected, "seed \(seed)")
      #expect(list.urls.allSatisfy { $0 == [Self.url] }, "seed \(seed)")
      return expected.entries > 0
    }
    #expect(isFruitful)
  }
}
