import Testing

@testable import CommandOptions
@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Options for columns` {
  private func columns(_ arguments: String...) throws -> ColumnRules? {
    guard case .run(let invocation) = try Command(arguments: (["-i", "L"] + arguments).map { Array($0.utf8) }) else {
      return nil
    }
    return invocation.lists.columns
  }

  private func errors(_ arguments: String...) -> [String] {
    do {
      _ = try Command(arguments: (["-i", "L"] + arguments).map { Array($0.utf8) })
      return []
    } catch { return error.errors.map { "\($0.message); \($0.hint() ?? "")" } }
  }

  @Test func `become rules`() throws {
    let rules = try columns("--columns", "url=link,md5=2", "--url-scheme", "http")
    #expect(rules?.choice?.url == .name(Array("link".utf8)) && rules?.scheme == "http" && rules?.template == nil)
    let template = try columns("--columns=out=name", "--url-template", "https://a/{id}")
    #expect(template?.template?.parts.count == 2 && template?.choice?.url == nil)
  }

  @Test(arguments: [
    (["--columns", ""], "empty"), (["--columns", "url"], "KEY=COLUMN"),
    (["--columns", "url=1,crc32=2"], "'crc32' is a checksum"), (["--columns", "url=1,algorithm=2"], "no checksum"),
    (["--columns", "url=1,url=2"], "twice"), (["--columns", "url=0"], "counted from 1"),
    (["--columns", "md5=x"], "--url-template"),
    (["--columns", "url=1", "--url-template", "https://a/{b}"], "contradicts"),
    (["--url-template", "a/{b}"], "is not the template"), (["--url-template", "https://a/{b"], "brace"),
    (["--url-template", "https://a/b"], "names no column"), (["--url-template", "https://a/{}"], "in braces"),
    (["--url-scheme", "ftp"], "https, http"),
    (["--columns", "url=1", "--input-format", "checksums"], "have no columns"),
  ])
  func `are refused with a remedy`(arguments: [String], words: String) {
    do {
      _ = try Command(arguments: (["-i", "L"] + arguments).map { Array($0.utf8) })
      Issue.record("accepted: \(arguments)")
    } catch {
      let texts = error.errors.map { "\($0.message); \($0.hint() ?? "")" }
      #expect(texts.count == 1 && texts.allSatisfy { $0.contains(words) }, "\(texts)")
      #expect(error.errors.allSatisfy { $0.hint() != nil } || arguments[1].isEmpty, "\(texts)")
    }
  }

  @Test func `need a list`() throws {
    for arguments in [["--columns", "url=1"], ["--url-template", "https://a/{b}"], ["--url-scheme", "http"]] {
      #expect(throws: UsageErrors.self) {
        try Command(arguments: (arguments + ["https://a/b"]).map { Array($0.utf8) })
      }
    }
  }
}
