import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Content-Disposition` {
  private static func name(_ value: String) -> String? {
    ContentDisposition.fileName(Array(value.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("attachment; filename=a.zip", "a.zip"), ("attachment; filename=\"a b.zip\"", "a b.zip"),
      ("ATTACHMENT;FILENAME=\"a.zip\"", "a.zip"), ("inline; filename=a", "a"), ("filename=a", "a"),
      ("attachment;filename = \"a\" ; size=7", "a"), ("attachment; size=7; filename=a", "a"),
      ("attachment; filename=\"a;b\"; x=y", "a;b"), ("attachment; filename=\"a\\\"b\\\\c\"", "a\"b\\c"),
      ("attachment; filename=\"C:\\dir\\f.txt\"", "C:\\dir\\f.txt"), ("attachment; filename=a b.zip", "a b.zip"),
      ("attachment; filename=\"unfinished", "unfinished"), ("attachment; filename=\"a\\", "a\\"),
      ("attachment; filename=\"é\"", "é"), ("attachment; filename=a; filename=b", "a"),
      ("attachment; xfilename=b", nil),
      ("attachment", nil), ("", nil), (";;=;", nil), ("attachment; filename", nil), ("attachment; filename=", nil),
      ("attachment; filename=\"\"", nil), ("attachment; filename=\"%41\"", "%41"), ("attachment; filename==a", "=a"),
    ] as [(String, String?)])
  func `the filename is a token or a quoted string`(value: String, name: String?) {
    #expect(Self.name(value) == name)
  }

  @Test(
    arguments: [
      ("attachment; filename*=UTF-8''%e2%82%ac%20rates", "€ rates"),
      ("attachment; filename=plain; filename*=utf-8'en'caf%C3%A9", "café"),
      ("attachment; filename*=UTF-8''caf%C3%A9; filename=plain", "café"),
      ("attachment; filename*=ISO-8859-1''caf%E9", "café"),
      ("attachment; filename*=KOI8-R''%C1; filename=plain", "plain"),
      ("attachment; filename*=UTF-8''%FF; filename=plain", "plain"),
      ("attachment; filename*=UTF-8''%zz; filename=plain", "plain"),
      ("attachment; filename*=plain.txt", nil), ("attachment; filename*=UTF-8''", nil),
      ("attachment; filename*=UTF-8''a'b", "a'b"),
    ] as [(String, String?)])
  func `an extended value has precedence if its charset is known`(value: String, name: String?) {
    #expect(Self.name(value) == name)
  }

  @Test func `bytes that are not UTF-8 are ISO-8859-1`() {
    let value = Array("attachment; filename=caf".utf8) + [0xe9]
    #expect(ContentDisposition.fileName(value) == Array("café".utf8))
  }

  @Test(
    arguments: [
      ("a.zip", "a.zip"), ("../../etc/passwd", "passwd"), ("C:\\dir\\f.txt", "f.txt"), ("/", nil), ("a/", nil),
      ("..", "__"),
      (".bashrc", "_bashrc"), ("...", "___"), (" a b ", "a b"), ("a\u{7f}\tb", "a__b"), ("", nil), ("-rf", "-rf"),
      ("x.swiftget", nil), ("x.swiftget-part", nil), (String(repeating: "a", count: 256), nil), ("https://h/n", "n"),
    ] as [(String, String?)])
  func `a suggested name is one visible name in the directory`(suggestion: String, name: String?) {
    let target = TargetName.fromServer(Array(suggestion.utf8))
    #expect(target.map { String(decoding: $0, as: UTF8.self) } == name)
  }

  @Test func `no suggestion leaves the directory or hides a file`() throws {
    var random = SeededGenerator(seed: 5)
    let alphabet = Array(";=\"\\'/.* %2eFfilenameUTF-8\0\u{1}\n\u{80}é~swiftget-part".utf8)
    for _ in 0..<3000 {
      var value = Array("attachment; filename=".utf8)
      for _ in 0..<Int.random(in: 0...30, using: &random) { value.append(alphabet.randomElement(using: &random)!) }
      guard let name = ContentDisposition.fileName(value).flatMap(TargetName.fromServer) else { continue }
      #expect(try TargetName.checked(name) == [name])
      #expect(name.first != UInt8(ascii: ".") && !name.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 })
    }
  }
}
