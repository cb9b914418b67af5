import TestSupport
import Testing

@testable import DownloadCore

/// Indexes of Debian archives, reduced.
@Suite struct `Indexes of Debian archives` {
  private static let md5 = String(repeating: "0123456789abcdef", count: 2)
  private static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  private func parsed(_ text: String) -> ParsedList {
    let list = ParsedList(Array(text.utf8), Deb822Parser())
    for partSize in [1, 7] { #expect(ParsedList(Array(text.utf8), Deb822Parser(), partSize: partSize) == list) }
    return list
  }

  private func passed(_ text: String) -> Int {
    var parser = Deb822Parser()
    Array(text.utf8).withUnsafeBytes { parser.append($0) }
    parser.end()
    while true { do { if try parser.next() == nil { return parser.passedCount } } catch {} }
  }

  private func names(_ list: ParsedList) -> [String] {
    list.entries.map { String(decoding: $0.name ?? [], as: UTF8.self) }
  }

  @Test func `Packages has a file in each stanza`() {
    let text = """
      Package: a
      Version: 1:2
      Description: x
       https://h/ is no field
       .
      Filename: pool/main/a/a_1%3a2_all.deb
      Size: 12
      MD5sum: \(Self.md5)
      SHA256: \(Self.sha256)

      Package: b
      Status: installed

      \r
      Package: c
      Filename: ./c.deb\r
      SHA1: \(Self.md5)
      Size: 3

      Package: d
      Filename: d.deb
      """
    let list = parsed(text)
    #expect(names(list) == ["pool/main/a/a_1%3a2_all.deb", "d.deb"] && list.entries.map(\.lineNumber) == [1, 20])
    #expect(list.digests == [["md5:\(Self.md5)", "sha256:\(Self.sha256)"], []] && list.entries[0].size == 12)
    #expect(list.errors == [ListError(lineNumber: 17, .malformedDigest(.sha1))] && passed(text) == 1)
    #expect(ListDetector.format(of: text.utf8) == .deb822)
  }

  @Test func `Sources lists files below a directory`() {
    let text = """
      Package: a
      Files:
       \(Self.md5) 5 a_1.dsc
       \(Self.md5) 6 a_1.tar.xz
      Checksums-Sha256:
       \(Self.sha256) 5 a_1.dsc
       \(Self.sha256) 6 a_1.tar.xz
      Directory: pool/a

      """
    let list = parsed(text)
    #expect(names(list) == ["pool/a/a_1.dsc", "pool/a/a_1.tar.xz"] && list.entries.map(\.size) == [5, 6])
    #expect(list.digests.allSatisfy { $0 == ["md5:\(Self.md5)", "sha256:\(Self.sha256)"] } && list.errors.isEmpty)
    #expect(ListDetector.format(of: text.utf8) == .deb822)
  }

  @Test func `a signed Release and changes list paths`() {
    let text = """
      -----BEGIN PGP SIGNED MESSAGE-----
      Hash: SHA256

      Origin: x
      MD5Sum:
       \(Self.md5)     9 main/binary-all/Packages.xz
      SHA256:
       \(Self.sha256)     9 main/binary-all/Packages.xz
      -----BEGIN PGP SIGNATURE-----

      x
      -----END PGP SIGNATURE-----

      """
    let list = parsed(text)
    #expect(names(list) == ["main/binary-all/Packages.xz"] && list.digests[0].count == 2 && list.errors.isEmpty)
    #expect(ListDetector.format(of: text.utf8) == .deb822)
    let changes = parsed("Format: 1.8\nFiles:\n \(Self.md5) 4 admin optional a_1.dsc\n")
    #expect(names(changes) == ["a_1.dsc"] && changes.entries[0].size == 4)
    #expect(parsed("-----BEGIN PGP SIGNED MESSAGE-----\n\nA: b\n").errors.map(\.problem) == [.unfinishedSignature])
  }

  @Test(arguments: [
    ("A: b\nx\nFilename: a\n", ListProblem.notControlLine), ("Files:\n a b\n", .notControlLine),
    ("SHA256:\n 12 1 a\n", .malformedDigest(.sha256)), ("Filename: a\nSize: x\n", .table(.notSize([0x78]))),
    ("Files:\n \(md5) 1 a\nSHA256:\n \(sha256) 2 a\n", .contradictorySizes(1, 2)),
    ("Files:\n \(md5) 1 a\n \(md5.replacing("0", with: "1")) 1 a\n", .contradictoryDigests(.md5)),
    ("Filename: x\nFilename: x\n", .repeatedField), ("Directory: a\nDirectory: b\n", .repeatedField),
    ("Size: 1\nSize: 2\n", .contradictorySizes(1, 2)), ("Package: a\nNote: \0\n", .nulByte),
  ])
  func `a stanza with anything wrong has no file, and the next one has`(text: String, problem: ListProblem) {
    let list = parsed(text + "Filename: more\n\nFilename: next\n")
    #expect(list.errors.map(\.problem) == [problem] && names(list) == ["next"])
  }

  @Test(arguments: [
    "https://h/a\nFilename: a\n", "Note: x\n\nhttps://h/a\n", "\(sha256)  Files: a\n", "a b\nSHA256: x\n",
    "Note: only text\n",
  ])
  func `other lists are none`(text: String) { #expect(ListDetector.format(of: text.utf8) != .deb822) }

  @Test func `only lines below a field of files list any`() {
    let list = parsed(
      "Package: a\nFiles:\n#a:b\n# c: d\n \(Self.md5) 5 a\nNote:\n \(Self.md5) 6 b\nFilename: f\nX: y\n \(Self.md5) 7 c\n"
    )
    #expect(names(list) == ["f", "a"] && list.errors == [])
  }

  /// A stanza of random fields, and what it is: the names, sizes and digests of its files, or that it is refused.
  private struct RandomStanza {
    var lines: [String] = []
    var files: [(name: String, size: Int64, digests: Set<String>)] = []
    var isRefused = false

    init(_ number: Int, _ generator: inout SeededGenerator) {
      var fields = [
        ["Package: p\(number)"], ["Description: \(md5)", " \(md5) 9 no-file", " ."], ["Tag: a:b, c", " d"],
      ]
      let size = Int64.random(in: 0...99, using: &generator)
      if Bool.random(using: &generator) {
        fields += [["Filename: \(number)/f"], ["Size:  \(size)"], ["SHA256: \(sha256)"]]
        files.append(("\(number)/f", size, ["sha256:\(sha256)"]))
      }
      let listed = (0..<Int.random(in: 0...3, using: &generator)).map { "\(number)-\($0)" }
      if !listed.isEmpty {
        fields.append(["Directory: d"])
        fields.append(["Files:"] + listed.map { " \(md5) \(size) \($0)" })
        fields.append(["Checksums-Sha256:"] + listed.map { " \(sha256)  \(size) section priority \($0)" })
        files += listed.map { ("d/\($0)", size, ["md5:\(md5)", "sha256:\(sha256)"]) }
      }
      isRefused = Int.random(in: 0..<8, using: &generator) == 0
      if isRefused { fields.append([["no field"], ["SHA1: 0"], ["Size: -"]].randomElement(using: &generator)!) }
      for field in fields.shuffled(using: &generator) {
        for (index, line) in field.enumerated() {
          if Int.random(in: 0..<6, using: &generator) == 0 { lines.append("#x:y") }
          let name = line.prefix { $0 != ":" }
          lines.append(
            index == 0 && Bool.random(using: &generator) ? name.lowercased() + line.dropFirst(name.count) : line)
        }
      }
    }
  }

  @Test func `every stanza is read, passed over or refused, whatever its fields`() {
    let isFruitful = Fuzz.run { generator, seed in
      var text = ""
      var expected: [(name: String, size: Int64, digests: Set<String>)] = []
      var counts = (passed: 0, refused: 0)
      for number in 0..<Int.random(in: 1...5, using: &generator) {
        let stanza = RandomStanza(number, &generator)
        text += stanza.lines.joined(separator: "\n") + ["\n\n", "\r\n \r\n\n"].randomElement(using: &generator)!
        if stanza.isRefused {
          counts.refused += 1
        } else if stanza.files.isEmpty {
          counts.passed += 1
        } else {
          expected += stanza.files
        }
      }
      let list = ParsedList(Array(text.utf8), Deb822Parser(), partSize: Int.random(in: 1...999, using: &generator))
      #expect(names(list) == expected.map(\.name) && list.entries.map(\.size) == expected.map(\.size), "seed \(seed)")
      #expect(list.digests.map(Set.init) == expected.map(\.digests), "seed \(seed)")
      #expect(list.errors.count == counts.refused && passed(text) == counts.passed, "seed \(seed)")
      return !list.entries.isEmpty
    }
    #expect(isFruitful)
  }

  @Test func `random text has valid entries, whatever its parts`() {
    let sample =
      "Package: a\nFilename: ./p/a.deb\nSize: 1\nSHA256: \(Self.sha256)\n\nDirectory: d\nFiles:\n \(Self.md5) 2 b\n"
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(sample.utf8), alphabet: Array(":\n -#./aF0".utf8))
      let list = ParsedList(bytes, Deb822Parser())
      let partSize = Int.random(in: 1...40, using: &generator)
      #expect(ParsedList(bytes, Deb822Parser(), partSize: partSize) == list, "seed \(seed)")
      #expect(list.entries.allSatisfy { $0.name?.isEmpty == false && $0.size ?? 0 >= 0 }, "seed \(seed)")
      _ = ListDetector.format(of: bytes)
      return !list.entries.isEmpty
    }
    #expect(isFruitful)
  }
}
