import Testing

@testable import DownloadCore

@Suite struct `Text with names in braces` {
  private func parts(_ text: String) -> [String]? {
    (try? BracedText(Array(text.utf8)))?.parts.map { part in
      switch part {
      case .text(let text): String(decoding: text, as: UTF8.self)
      case .name(let name): "<\(String(decoding: name, as: UTF8.self))>"
      }
    }
  }

  @Test(arguments: [
    ("", []), ("a", ["a"]), ("{a}", ["<a>"]), ("a{b}{ c }d", ["a", "<b>", "<c>", "d"]), ("{}", ["<>"]),
  ])
  func `is divided`(text: String, expected: [String]) { #expect(parts(text) == expected) }

  @Test(arguments: ["{", "}", "a}b", "{a", "{a{b}}", "{a}}", "}{"])
  func `needs pairs of braces`(text: String) { #expect(parts(text) == nil) }
}
