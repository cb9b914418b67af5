import TestSupport
import Testing

@testable import DownloadCore

/// Digests of random bytes, written in every form, for every algorithm, at every place of a list that may hold one. The
/// writers here know nothing of the parsers.
@Suite struct `A stated digest` {
  private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let names: [(DigestAlgorithm, [String])] = [
    (.md5, ["md5", "MD5", "md-5"]), (.sha1, ["sha1", "sha-1", "SHA"]), (.sha224, ["sha224", "SHA-224"]),
    (.sha256, ["sha256", "sha-256", "SHA2-256", "Sha256"]), (.sha384, ["sha384", "sha-384"]),
    (.sha512, ["sha512", "SHA-512", "sha2-512"]), (.sha3_224, ["sha3-224"]), (.sha3_256, ["sha3-256", "SHA3_256"]),
    (.sha3_384, ["sha3-384"]), (.sha3_512, ["sha3-512"]), (.blake2b, ["blake2b", "b2", "BLAKE2b-512"]),
    (.blake2s, ["blake2s", "blake2s-256"]),
  ]

  private struct Form: Sendable {
    var separators: [String]
    var write: @Sendable ([UInt8]) -> String
  }

  private static let forms = [
    Form(separators: [":", "=", "-"], write: { hex($0) }),
    Form(separators: [":", "=", "-"], write: { hex($0).uppercased() }),
    Form(separators: [":", "=", "-"], write: { encoded($0) }),
    Form(separators: [":", "=", "-"], write: { encoded($0).replacing("=", with: "") }),
    Form(
      separators: [":", "=", "-"],
      write: { encoded($0).replacing("+", with: "-").replacing("/", with: "_") }),
    Form(separators: [":", "="], write: { ":\(encoded($0)):" }),
  ]

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    var bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    while bits.count % 6 != 0 { bits.append(0) }
    var text: [UInt8] = []
    for start in stride(from: 0, to: bits.count, by: 6) {
      text.append(base64[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })])
    }
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// What a place makes of a stated digest: those of the entry, or nil where it was refused.
  private static let places: [(name: String, read: @Sendable (String) -> [ContentDigest]?)] = [
    ("fragment", { fragment($0) }), ("egg", { fragment("egg=x&\($0)&subdirectory=y") }),
    ("escaped", { text in fragment(text.utf8.map { "%\(hex([$0]))" }.joined()) }),
    ("list", { entry("https://a/1#\($0)\n") }), ("mirror", { entry("https://b/1\thttps://a/1#\($0)\n") }),
    ("checksum", { entry("https://a/1\n checksum=\($0)\n") }),
    (
      "table",
      { text in
        var table = TableParser(ColumnRules(), separator: 0x09)
        Array("url\tx\nhttps://a/1#\(text)\t\n".utf8).withUnsafeBytes { table.append($0) }
        table.end()
        return (try? table.next())?.map(\.digests)
      }
    ),
    (
      "column",
      { text in
        var table = TableParser(ColumnRules(), separator: 0x09)
        Array("url\tchecksum\nhttps://a/1\t\(text)\n".utf8).withUnsafeBytes { table.append($0) }
        table.end()
        return (try? table.next())?.map(\.digests)
      }
    ),
  ]

  private static func fragment(_ text: String) -> [ContentDigest]? {
    try? URLFragment.split(Array("https://a/1#\(text)".utf8)[...]).digests
  }

  private static func entry(_ list: String) -> [ContentDigest]? {
    var parser = LineListParser(format: .aria2)
    Array(list.utf8).withUnsafeBytes { parser.append($0) }
    parser.end()
    return (try? parser.next())?.map(\.digests)
  }

  @Test func `is understood in every form, and refused if anything is wrong with it`() throws {
    var generator = SeededGenerator(seed: Fuzz.seed)
    for (algorithm, names) in Self.names {
      for name in names {
        for (number, form) in Self.forms.enumerated() {
          for separator in form.separators {
            let bytes = (0..<algorithm.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let value = form.write(bytes)
            let expected = ContentDigest(algorithm, bytes)
            let wrong = [
              value + "A", String(value.dropLast(value.hasSuffix("=") ? 4 : 2)), value.dropLast() + "!",
            ]
            for place in Self.places {
              let text = name + separator + value
              #expect(place.read(text) == [expected].compactMap(\.self), "\(place.name) \(text) form \(number)")
              // A word is no digest behind a hyphen.
              for value in wrong
              where separator != "-" || value.prefix(while: { $0.isLetter || $0.isNumber }).count > 22 {
                #expect(place.read(name + separator + value) == nil, "\(place.name) \(name)\(separator)\(value)")
              }
            }
          }
        }
      }
    }
  }

  @Test(arguments: [
    "4", "sha256-checksums", "sha256-checksums-of-all-the-files", "sha256", "md5-", "sha-256-sums", "egg=x", "tiger=1",
    "crc32=yes", "section:2", "line-10", "0123456789abcdef", String(repeating: "a", count: 56), "a=sha256", "=", ":",
    "-",
    String(repeating: "g", count: 64),
  ])
  func `is not seen in other fragments`(fragment: String) {
    #expect(Self.fragment(fragment) == [])
  }

  @Test(arguments: [32, 40, 64, 96, 128])
  func `without a name is known by its length`(count: Int) {
    let digits = String(repeating: "a", count: count)
    #expect(Self.fragment(digits)?.map(\.bytes.count) == [count / 2])
    #expect(Self.fragment(digits + "a") == [] && Self.fragment(String(digits.dropLast())) == [])
  }

  @Test(arguments: [
    "crc32=cbf43926", "crc32c:cbf43926", "blake3=\(String(repeating: "a", count: 64))",
    "sha512-256:\(String(repeating: "a", count: 64))", "x=1&RIPEMD160=\(String(repeating: "a", count: 40))",
  ])
  func `of an algorithm that is not computed is refused`(fragment: String) {
    #expect(throws: ListProblem.self) { try URLFragment.split(Array("https://a/1#\(fragment)".utf8)[...]) }
  }

  @Test func `behind many hyphens costs no time`() {
    #expect(Self.fragment(String(repeating: "-", count: 64 << 10)) == [])
    #expect(Self.fragment("sha256-" + String(repeating: "A", count: 64 << 10)) == nil)
  }

  @Test func `may be a multihash at every place`() throws {
    let prefixes: [(DigestAlgorithm, String)] = [
      (.md5, "d50110"), (.sha1, "1114"), (.sha224, "93201c"), (.sha256, "1220"), (.sha384, "2030"), (.sha512, "1340"),
      (.sha3_224, "171c"), (.sha3_256, "1620"), (.sha3_384, "1530"), (.sha3_512, "1440"), (.blake2b, "c0e40240"),
      (.blake2s, "e0e40220"),
    ]
    var generator = SeededGenerator(seed: Fuzz.seed)
    for (algorithm, prefix) in prefixes {
      let bytes = (0..<algorithm.byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
      for text in [prefix + Self.hex(bytes), "f" + prefix + Self.hex(bytes).uppercased()] {
        for place in Self.places where place.name != "egg" {
          #expect(place.read(text) == [ContentDigest(algorithm, bytes)].compactMap(\.self), "\(place.name) \(text)")
        }
        #expect(ContentDigest(algorithm, value: Array(text.utf8)[...])?.bytes == bytes)
        #expect(ContentDigest(algorithm == .md5 ? .sha1 : .md5, value: Array(text.utf8)[...]) == nil)
      }
      for wrong in [prefix + Self.hex(Array(bytes.dropLast())), prefix + Self.hex(bytes + [0])] {
        #expect(Multihash(Array(wrong.utf8)[...]) == nil, "\(wrong)")
      }
    }
    // Known to be none of ours, so that it is not passed over.
    #expect(StatedDigest(Array(("90e40210" + String(repeating: "0", count: 32)).utf8)[...]) == .unknown("blake2b-128"))
  }

  @Test func `of another length is none in base64`() {
    // It has as many characters as a SHA-384 in base64.
    let sha256 = Array(String(repeating: "0123456789abcdef", count: 4).utf8)[...]
    for algorithm in [DigestAlgorithm.sha384, .sha3_384] { #expect(ContentDigest(algorithm, value: sha256) == nil) }
    #expect(ContentDigest(.sha256, value: sha256) != nil)
  }

  @Test func `several state one file`() throws {
    let md5 = String(repeating: "0a", count: 16)
    func read(_ text: String) throws(ListProblem) -> [String] {
      try StatedDigests(Array(text.utf8)[...]).digests.map(\.text)
    }
    #expect(
      try read("md5:\(md5), sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=?x;crc32c:0a0a0a0a").map { $0.prefix(4) } == [
        "md5:", "sha1",
      ])
    #expect(try read("md5: \(md5)") == ["md5:\(md5)"] && read("") == [])
    #expect(throws: ListProblem.contradictoryDigests(.md5)) {
      try read("md5:\(md5) md5:\(md5.replacing("a", with: "b"))")
    }
    #expect(throws: ListProblem.malformedDigest(.md5)) { try read("md5:\(md5) md5:0a") }
    #expect(throws: ListProblem.table(.unnamedDigest)) { try read("md5:\(md5) x") }
  }
}
