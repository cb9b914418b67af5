import Testing

@testable import DownloadCore

@Suite struct `Checksum lines` {
  static let hex = String(repeating: "0123456789abcdef", count: 8)

  static func read(_ line: String, _ algorithm: DigestAlgorithm? = nil) throws -> (digest: String, name: String) {
    let parsed = try ChecksumLine(Array(line.utf8)[...], defaultAlgorithm: algorithm)
    return (parsed.digest.text, String(decoding: parsed.name, as: UTF8.self))
  }

  @Test(arguments: [
    (32, "md5"), (40, "sha1"), (56, "sha224"), (64, "sha256"), (96, "sha384"), (128, "sha512"),
  ])
  func `the number of digits determines the algorithm`(digits: Int, algorithm: String) throws {
    let parsed = try Self.read("\(Self.hex.prefix(digits))  a")
    #expect(parsed == ("\(algorithm):\(Self.hex.prefix(digits))", "a"))
  }

  @Test func `a default algorithm counts if its length matches`() throws {
    #expect(try Self.read("\(Self.hex)  a", .blake2b).digest == "blake2b:\(Self.hex)")
    #expect(try Self.read("\(Self.hex.prefix(64))  a", .sha3_256).digest == "sha3-256:\(Self.hex.prefix(64))")
    #expect(try Self.read("\(Self.hex.prefix(32))  a", .blake2b).digest == "md5:\(Self.hex.prefix(32))")
  }

  @Test(arguments: [
    ("  a b ", "a b "), (" *a", "a"), ("   a", " a"), ("   ", " "), ("  *a", "*a"), (" a", "a"), ("\ta", "a"),
    ("  ./a", "a"),
    (" *././a/b", "a/b"), ("  a\\b", "a/b"), (" *.\\a\\b", "a/b"),
    ("  C:\\a", "/a"), ("  \\\\h\\a", "//h/a"), ("  C:a", "C:a"), ("  (a) = b", "(a) = b"), ("  ../a", "../a"),
  ])
  func `the name of a GNU line is the rest of the line`(rest: String, name: String) throws {
    #expect(try Self.read(Self.hex.prefix(32) + rest).name == name)
    #expect(try Self.read(" \t" + Self.hex.prefix(32).uppercased() + rest).digest == "md5:\(Self.hex.prefix(32))")
  }

  @Test(arguments: [
    "SHA256 (a) = ", "SHA256(a)= ", "SHA2-256(a)= ", "sha-256 (./a)=", "SHA3-256 (a) = ", "SHA256 (a)\t=\t",
  ])
  func `BSD lines name the algorithm`(front: String) throws {
    let parsed = try Self.read(front + Self.hex.prefix(64))
    #expect(parsed.digest.hasSuffix(":\(Self.hex.prefix(64))"))
    #expect(parsed.name == "a")
  }

  @Test(arguments: [("b2", "blake2b"), ("BLAKE2b", "blake2b"), ("SHA512", "sha512"), ("SHA2-512", "sha512")])
  func `names of algorithms have several forms`(name: String, algorithm: String) throws {
    #expect(try Self.read("\(name) (a) = \(Self.hex)").digest == "\(algorithm):\(Self.hex)")
  }

  @Test func `a BSD name may contain its own delimiter`() throws {
    #expect(try Self.read("MD5 (a) = (b) = c) = \(Self.hex.prefix(32))").name == "a) = (b) = c")
  }

  @Test func `names of Windows have slashes`() throws {
    #expect(try Self.read("MD5 (a\\b) = \(Self.hex.prefix(32))").name == "a/b")
    #expect(try Self.read("\\MD5 (C:\\\\b) = \(Self.hex.prefix(32))").name == "C:\\b")
  }

  @Test func `escaped names are unescaped`() throws {
    #expect(try Self.read("\\\(Self.hex.prefix(32))  a\\\\b\\nc\\rd").name == "a\\b\nc\rd")
    #expect(try Self.read("\\MD5 (a\\nb) = \(Self.hex.prefix(32))").name == "a\nb")
  }

  @Test(arguments: [
    ("\\\(hex.prefix(32))  a\\x", ListProblem.unknownEscape(Array("a\\x".utf8))),
    ("\\\(hex.prefix(32))  a\\", .unfinishedEscape(Array("a\\".utf8))),
    ("\(hex.prefix(32))  ", .missingName), ("\(hex.prefix(32))", .missingName), ("\(hex.prefix(32))  ./", .missingName),
    ("MD5 () = \(hex.prefix(32))", .missingName),
    ("\(hex.prefix(33))  a", .unknownDigestLength(33)), ("12345678  a", .unknownDigestLength(8)),
    ("CRC (a) = 12345678", .unknownAlgorithm(Array("CRC".utf8))),
    ("BLAKE2b-256 (a) = \(hex.prefix(64))", .unknownAlgorithm(Array("BLAKE2b-256".utf8))),
    ("MD5 (a) = 12", .malformedDigest(.md5)), ("MD5 (a) = \(hex.prefix(31))g", .malformedDigest(.md5)),
    ("MD5 (a) = ", .malformedDigest(.md5)),
  ])
  func `any other line is an error with a reason`(line: String, problem: ListProblem) {
    #expect(throws: problem) { try Self.read(line) }
  }

  @Test(arguments: [
    "MD5 (a \(hex.prefix(32))", "a  \(hex.prefix(32))", "\(hex.prefix(31))", "deadbee  a", "https://a/b",
  ])
  func `what has the form of no checksum line is told as it stands`(line: String) {
    #expect(throws: ListProblem.notChecksumLine(Array(line.utf8))) { try Self.read(line) }
    #expect(throws: ListProblem.notChecksumLine(nil)) { try Self.read("  " + line) }
    #expect(throws: ListProblem.notChecksumLine([])) { try Self.read("\\") }
  }
}
