import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `The words of a command` {
  private typealias Problem = CommandWords.Problem

  private func words(_ text: String) throws(CommandWords.Problem) -> [String] {
    try CommandWords(text: Array(text.utf8)).words.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("a", ["a"]), ("  a  b\tc ", ["a", "b", "c"]), ("a ''", ["a", ""]), ("a \"\" b", ["a", "", "b"]),
      ("'a b' c", ["a b", "c"]), ("a'b'\"c\"d", ["abcd"]), ("a\\ b", ["a b"]), ("a \\'b\\\"", ["a", "'b\""]),
      ("a '\\n'", ["a", "\\n"]), ("a \"\\n\"", ["a", "\\n"]), ("a \"\\\\ \\\" \\$ \\`\"", ["a", "\\ \" $ `"]),
      ("a \"'\" '\"'", ["a", "'", "\""]), ("a '$x|;&' \"$x|;&\"", ["a", "$x|;&", "$x|;&"]),
      ("a \\$x \\| \\;", ["a", "$x", "|", ";"]), ("a *.c ~ # b", ["a", "*.c", "~", "#", "b"]),
      ("a\\\nb \"c\\\nd\"", ["ab", "cd"]), ("ä 'ö ü'", ["ä", "ö ü"]), ("sh -c 'x \"$P\"'", ["sh", "-c", "x \"$P\""]),
    ])
  func `are those of a shell that expands nothing`(text: String, expected: [String]) throws {
    #expect(try words(text) == expected)
  }

  @Test(
    arguments: [
      ("", .empty), ("  ", .empty), ("''", .empty), ("\"\" a", .empty), ("a 'b", .unclosed(UInt8(ascii: "'"))),
      ("a \"b", .unclosed(UInt8(ascii: "\""))), ("a \"b\\\"", .unclosed(UInt8(ascii: "\""))),
      ("a \\", .unclosed(UInt8(ascii: "\\"))), ("a | b", .shellSyntax(UInt8(ascii: "|"))),
      ("a&", .shellSyntax(UInt8(ascii: "&"))), ("a;b", .shellSyntax(UInt8(ascii: ";"))),
      ("a >f", .shellSyntax(UInt8(ascii: ">"))), ("a <f", .shellSyntax(UInt8(ascii: "<"))),
      ("a $x", .shellSyntax(UInt8(ascii: "$"))), ("a `b`", .shellSyntax(UInt8(ascii: "`"))),
      ("(a)", .shellSyntax(UInt8(ascii: "("))), ("a\nb", .shellSyntax(UInt8(ascii: "\n"))),
    ] as [(String, CommandWords.Problem)])
  func `are refused where only a shell would understand them`(text: String, problem: CommandWords.Problem) {
    #expect(throws: problem) { try words(text) }
  }

  @Test func `are bytes`() throws {
    #expect(try CommandWords(text: [0x61, 0x20, 0xff, 0xfe]).words == [[0x61], [0xff, 0xfe]])
  }

  @Test func `are read again from the text that they make`() throws {
    var generator = SeededGenerator(seed: Fuzz.seed)
    let alphabet = Array("ab '\"\\$`\n\t;*\u{e4}".utf8)
    for _ in 0..<2000 {
      let words = (0..<Int.random(in: 1...4, using: &generator)).map { index in
        (0..<Int.random(in: (index == 0 ? 1 : 0)...5, using: &generator)).map { _ in
          alphabet.randomElement(using: &generator) ?? 0
        }
      }
      let command = CommandWords(words: words)
      #expect(try CommandWords(text: command.text) == command)
    }
  }
}
