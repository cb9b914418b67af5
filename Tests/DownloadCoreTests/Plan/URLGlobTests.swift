import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `A URL with alternatives` {
  private func urls(_ pattern: String) throws -> [String] {
    let glob = try URLGlob(Array(pattern.utf8))
    return (0..<glob.count).map { String(decoding: glob[$0], as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("http://h/f", ["http://h/f"]), ("", [""]), ("h/{a,b}", ["h/a", "h/b"]), ("h/{a}", ["h/a"]),
      ("h/{,x}y{,}", ["h/y", "h/y", "h/xy", "h/xy"]), ("[1-3]", ["1", "2", "3"]), ("[8-11]", ["8", "9", "10", "11"]),
      ("[08-11:2].gz", ["08.gz", "10.gz"]), ("[001-2]", ["001", "002"]), ("[5-5:9]", ["5"]), ("[0-0]", ["0"]),
      ("[a-e:2]x", ["ax", "cx", "ex"]), ("[X-Z]", ["X", "Y", "Z"]),
      ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]), ("{1-2}[a-b]", ["1-2a", "1-2b"]),
      (#"a\[1\]\{b\}\,\x"#, [#"a[1]{b},\x"#]), (#"{a\,b,\}}"#, ["a,b", "}"]),
      ("http://[::1]:80/[1-2]", ["http://[::1]:80/1", "http://[::1]:80/2"]),
      ("http://u@[fe80::1%25a]/", ["http://u@[fe80::1%25a]/"]),
    ])
  func `stands for several URLs`(pattern: String, expected: [String]) throws {
    #expect(try urls(pattern) == expected)
  }

  @Test(
    arguments: [
      ("h/{a,b", .unclosed(0x7b)), ("h/[1-2", .unclosed(0x5b)), ("a}", .unopened(0x7d)), ("a]", .unopened(0x5d)),
      ("{a,{b,c}}", .nested), ("[1-[2-3]]", .nested), ("[]", .malformedRange([])),
      ("[2-1]", .malformedRange(Array("2-1".utf8))),
      ("[a-9]", .malformedRange(Array("a-9".utf8))), ("[a-Z]", .malformedRange(Array("a-Z".utf8))),
      ("[1-2:0]", .malformedRange(Array("1-2:0".utf8))), ("[1-2-3]", .malformedRange(Array("1-2-3".utf8))),
      ("[-1-2]", .malformedRange(Array("-1-2".utf8))), ("[1:2]", .malformedRange(Array("1:2".utf8))),
      ("[1-9999999999999999999]", .malformedRange(Array("1-9999999999999999999".utf8))),
      ("[1-10000001]", .tooMany), ("[1-5000][1-5000]", .tooMany),
      ("[1-999999999999999999][1-999999999999999999]", .tooMany),
    ] as [(String, URLGlob.Problem)])
  func `is refused where its meaning is not clear`(pattern: String, problem: URLGlob.Problem) {
    #expect(throws: problem) { try urls(pattern) }
  }

  @Test func `of random text never traps, and all of its URLs can be made`() {
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array("h/{a,b\\,}[01-12:3][a-c]".utf8), alphabet: Array("{}[]-:,\\019az".utf8))
      guard let glob = try? URLGlob(bytes) else { return false }
      #expect(glob.count >= 1 && glob.count <= URLGlob.mostURLs, "seed \(seed)")
      let indices = Set([0, glob.count / 2, glob.count - 1])
      for index in indices { #expect(glob[index].count <= bytes.count + 20, "seed \(seed)") }
      return glob.count > 1
    }
    #expect(isFruitful)
  }
}
