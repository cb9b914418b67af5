import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Target names` {
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(arguments: [
    ("/a/b.iso", "b.iso"), ("/b%20c.iso", "b c.iso"), ("/%C3%A9", "é"), ("/a%252F", "a%2F"), ("/100%", "100%"),
    ("/100%2", "100%2"), ("/a%zz", "a%zz"), ("/-rf", "-rf"), ("/a;v=1", "a;v=1"), ("name", "name"), ("/a\\b", "a\\b"),
    ("/.hidden", ".hidden"), ("/...", "..."),
  ])
  func `the last segment is decoded once`(path: String, name: String) {
    #expect(Self.text(TargetName.fromURLPath(path)) == name)
  }

  @Test(arguments: ["", "/", "/a/", "/.", "/..", "/%2e%2E", "/%2e"])
  func `without a last segment the name is index.html`(path: String) {
    #expect(Self.text(TargetName.fromURLPath(path)) == "index.html")
  }

  @Test(arguments: [
    ("/..%2f..%2Fetc%2Fpasswd", ".._.._etc_passwd"), ("/%2Fetc", "_etc"), ("/a%00b%0a%7f", "a_b__"), ("/%2f", "_"),
  ])
  func `an escaped slash or control character is replaced`(path: String, name: String) {
    #expect(Self.text(TargetName.fromURLPath(path)) == name)
  }

  @Test(arguments: [
    ("a", ["a"]), ("a/b", ["a", "b"]), ("./a//./b", ["a", "b"]), ("-rf", ["-rf"]), ("a\\..\\b", ["a\\..\\b"]),
    ("...", ["..."]), ("a..b", ["a..b"]), ("swiftget", ["swiftget"]), ("a.swiftget.txt", ["a.swiftget.txt"]),
    ("a.zip", ["a.zip"]), ("a-bad", ["a-bad"]), ("a.swiftget-badly", ["a.swiftget-badly"]),
  ])
  func `a path inside the directory is split into components`(path: String, components: [String]) throws {
    #expect(try TargetName.checked(Array(path.utf8)).map(Self.text) == components)
  }

  @Test(arguments: [
    ("", TargetNameError.empty), (".", .empty), ("./.", .empty), ("/a", .absolute), ("//", .absolute),
    ("a/", .isDirectory), ("..", .leavesDirectory), ("a/../b", .leavesDirectory), ("a/..", .leavesDirectory),
    ("a\nb", .controlCharacter), ("a\0", .controlCharacter), ("\u{7f}", .controlCharacter),
    ("a.swiftget", .reservedSuffix), (".swiftget-part", .reservedSuffix), ("a.swiftget/b", .reservedSuffix),
    ("a.swiftget-bad", .reservedSuffix), ("http://h/a", .isURL), ("X-Y://a", .isURL),
    (".a.1-2.swiftget-tmp", .reservedSuffix),
    ("a.swiftget-bad/b", .reservedSuffix),
    (String(repeating: "a", count: 256), .tooLong),
  ])
  func `a dangerous path is refused`(path: String, error: TargetNameError) {
    #expect(throws: error) { try TargetName.checked(Array(path.utf8)) }
  }

  @Test func `line breaks and other control characters are allowed only where they are asked for`() throws {
    func isAllowed(_ name: String, _ controls: ControlCharacters) -> Bool {
      (try? TargetName.checked(Array(name.utf8), controls: controls)) != nil
    }
    #expect(isAllowed("a\nb\r", .lineBreaks) && isAllowed("a\nb\t\u{7f}", .all))
    #expect(!isAllowed("a\tb", .lineBreaks) && !isAllowed("\u{1b}", .lineBreaks) && !isAllowed("a\0", .lineBreaks))
    #expect(!isAllowed("a\0", .all) && !isAllowed("../a\n", .all))
  }

  @Test func `255 bytes are allowed`() throws {
    let name = [UInt8](repeating: 0x61, count: 255)
    #expect(try TargetName.checked(name) == [name])
  }

  @Test func `a short name gets the suffix`() {
    #expect(Self.text(TargetName.partName(for: Array("a.iso".utf8))) == "a.iso.swiftget-part")
    #expect(Self.text(TargetName.sidecarName(for: Array("a.iso".utf8))) == "a.iso.swiftget")
  }

  @Test func `a long name is cut and hashed`() {
    let name = String(repeating: "a", count: 241)
    #expect(TargetName.partName(for: Array(name.utf8)).count == 255)
    #expect(Self.text(TargetName.partName(for: Array(name.utf8))) == name + ".swiftget-part")
    let longer = TargetName.partName(for: Array((name + "b").utf8))
    #expect(longer.count == 255)
    // FNV-1a of 241 times `a` and a `b`, computed with Python.
    let expected = String(repeating: "a", count: 224) + "~880de2788569731a.swiftget-part"
    #expect(Self.text(longer) == expected)
    #expect(longer != TargetName.partName(for: Array((name + "c").utf8)))
  }

  @Test func `a name fits the limit of the file system`() {
    let name = Array(String(repeating: "ä", count: 100).utf8)
    for limit in 1...300 {
      let names = [TargetName.partName(for: name, limit: limit), TargetName.sidecarName(for: name, limit: limit)]
      #expect(names[0] != names[1])
      #expect(limit < 31 || names.allSatisfy { $0.count <= limit && String(validating: $0, as: UTF8.self) != nil })
    }
    #expect(Self.text(TargetName.partName(for: Array("a.iso".utf8), limit: 19)) == "a.iso.swiftget-part")
  }

  @Test func `a name is not cut inside a character`() {
    for shift in 0..<4 {
      let name = String(repeating: "x", count: shift) + String(repeating: "😀", count: 62)
      let part = TargetName.partName(for: Array(name.utf8))
      #expect(String(validating: part, as: UTF8.self) != nil)
      #expect((252...255).contains(part.count))
    }
  }

  @Test func `no random name leaves the directory`() {
    let samples = ["dir/./file.iso", "../up", "/abs", "%2e%2e%2f", "a%00.swiftget-part", "..."]
    let alphabet = Array("./%2eEfF0\\\0\n".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: alphabet)
      let name = TargetName.fromURLPath(String(decoding: bytes, as: UTF8.self))
      #expect(!name.isEmpty && name != Array(".".utf8) && name != Array("..".utf8), "seed \(seed)")
      #expect(!name.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }, "seed \(seed)")
      guard let components = try? TargetName.checked(bytes) else { return false }
      #expect(!components.isEmpty, "seed \(seed)")
      for component in components {
        #expect(component != Array(".".utf8) && component != Array("..".utf8), "seed \(seed)")
        #expect(!component.isEmpty && component.count <= 255, "seed \(seed)")
        #expect(!component.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7f }, "seed \(seed)")
      }
      return true
    }
    #expect(isFruitful)
  }

  @Test func `a plain path consists of its components`() {
    let samples = ["a/b.c", ".a", "x y/-z", "d/e.swiftget-part", "http:f", String(repeating: "n", count: 255) + "/o"]
    for sample in ["a", "a/b", ".ab", "..a", " ", "é", "\\", "t.swiftget.t"] {
      #expect(Array(sample.utf8).withUnsafeBytes { TargetName.isPlain($0) }, "\(sample)")
    }
    let isFruitful = Fuzz.run { generator, seed in
      let path = generator.mutate(
        Array(samples.randomElement(using: &generator)!.utf8), alphabet: Array("./:a\u{7f}\u{1f}tdp".utf8))
      guard path.withUnsafeBytes({ TargetName.isPlain($0) }) else { return false }
      #expect((try? TargetName.checked(path)).map { Array($0.joined(separator: [0x2f])) } == path, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }

  @Test func `part and sidecar names of any name are valid and distinct`() {
    var generator = SeededGenerator(seed: Fuzz.seed)
    for length in 1...255 {
      let name = (0..<length).map { _ in UInt8.random(in: 0x80...0xff, using: &generator) }
      let names = [TargetName.partName(for: name), TargetName.sidecarName(for: name)]
      #expect(names[0] != names[1])
      #expect(names.allSatisfy { $0.count <= 255 && $0.count > 9 }, "seed \(Fuzz.seed), length \(length)")
    }
  }
}
