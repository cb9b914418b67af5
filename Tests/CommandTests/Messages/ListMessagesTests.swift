import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of list errors` {
  /// The cases of `ListProblem`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case lineTooLong, nulByte, controlCharacter, utf16, malformedUTF16, foreign, notURL, blankBetweenURLs,
      textAfterDigest, markup, checksumLine
    case strayLine, optionBeforeURL, unknownOption, emptyOption, repeatedOption, malformedHeader, refererOfItself,
      unnamedChecksum,
      notChecksumLine,
      unknownDigestLength
    case unknownAlgorithm, digestNotHexadecimal, unknownEscape, unfinishedEscape, missingName, signature
    case unfinishedSignature, malformedDigest, malformedFragment, contradictoryDigests
    case contradictorySizes, notRegistryLine, notControlLine, repeatedField, metalink, table, json, bag

    init(_ problem: ListProblem) {
      self =
        switch problem {
        case .lineTooLong: .lineTooLong
        case .nulByte: .nulByte
        case .controlCharacter: .controlCharacter
        case .utf16: .utf16
        case .malformedUTF16: .malformedUTF16
        case .foreign: .foreign
        case .notURL: .notURL
        case .blankBetweenURLs: .blankBetweenURLs
        case .textAfterDigest: .textAfterDigest
        case .markup: .markup
        case .checksumLine: .checksumLine
        case .strayLine: .strayLine
        case .optionBeforeURL: .optionBeforeURL
        case .unknownOption: .unknownOption
        case .emptyOption: .emptyOption
        case .repeatedOption: .repeatedOption
        case .malformedHeader: .malformedHeader
        case .refererOfItself: .refererOfItself
        case .unnamedChecksum: .unnamedChecksum
        case .notChecksumLine: .notChecksumLine
        case .unknownDigestLength: .unknownDigestLength
        case .unknownAlgorithm: .unknownAlgorithm
        case .digestNotHexadecimal: .digestNotHexadecimal
        case .unknownEscape: .unknownEscape
        case .unfinishedEscape: .unfinishedEscape
        case .missingName: .missingName
        case .signature: .signature
        case .unfinishedSignature: .unfinishedSignature
        case .malformedDigest: .malformedDigest
        case .malformedFragment: .malformedFragment
        case .contradictoryDigests: .contradictoryDigests
        case .contradictorySizes: .contradictorySizes
        case .metalink: .metalink
        case .table: .table
        case .json: .json
        case .bag: .bag
        case .notRegistryLine: .notRegistryLine
        case .notControlLine: .notControlLine
        case .repeatedField: .repeatedField
        }
    }
  }

  private static let text = Array("me:secret@h/x?secret".utf8)
  private static let shown = "…@h/x?…"

  private static let samples: [Sample<ListProblem>] = [
    Sample(.lineTooLong, "64 KiB"), Sample(.nulByte, "NUL"), Sample(.controlCharacter), Sample(.utf16, "UTF-16"),
    Sample(.malformedUTF16, "UTF-16"), Sample(.foreign(.goSum), "go.sum"),
    Sample(.notURL(text), shown), Sample(.blankBetweenURLs), Sample(.textAfterDigest),
    Sample(.markup, "HTML"), Sample(.checksumLine), Sample(.strayLine),
    Sample(.optionBeforeURL), Sample(.unknownOption("frobnicate"), "'frobnicate'"), Sample(.unknownOption(nil)),
    Sample(.emptyOption("out"), "out="), Sample(.repeatedOption("out", line: 7), "out=", "line 7"),
    Sample(.malformedHeader, "Name: value"), Sample(.refererOfItself, "*"),
    Sample(.unnamedChecksum(Array("adler32=12345678".utf8)), "'adler32=…'"), Sample(.notChecksumLine(text), shown),
    Sample(.notChecksumLine(nil), "indented", "checksum line"),
    Sample(.unknownDigestLength(33), "33"), Sample(.unknownAlgorithm(Array("CRC".utf8)), "'CRC'"),
    Sample(.digestNotHexadecimal(.sha1), "sha1"), Sample(.unknownEscape(Array("a\\x".utf8)), "'a\\x'"),
    Sample(.unfinishedEscape(Array("a\\".utf8)), "'a\\'"), Sample(.missingName), Sample(.signature, "PGP"),
    Sample(.unfinishedSignature, "PGP"), Sample(.malformedDigest(.sha256), "sha256", "64"),
    Sample(.malformedFragment(.md5), "md5", "32", "#"), Sample(.contradictoryDigests(.md5), "md5"),
    Sample(.contradictorySizes(5, 7), "5", "7"),
    Sample(.metalink(.malformedSize(text)), shown), Sample(.table(.notURL(text)), shown),
    Sample(.json(.unknownKey(text)), shown), Sample(.bag(.notLength(text)), shown), Sample(.notRegistryLine),
    Sample(.notControlLine), Sample(.repeatedField, "twice"),
  ]

  @Test func `exist for each problem`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
  }

  @Test func `tell its facts`() {
    for sample in Self.samples {
      // A quotation may come first; the letter `iconv` options are not ours.
      let message = ListMessages.message(sample.value)
      let hint = ListMessages.hint(sample.value)?.text(in: .command).replacing(
        /iconv( -[a-z] UTF-[0-9]+)+/, with: "iconv")
      #expect(message.hasPrefix("'") || Wording.isPhrase(message), "\(message)")
      Wording.check("line: " + message, hint: hint, facts: sample.facts, "\(sample.value)")
      let text = Diagnostic(Failure(sample.value, of: "LIST:17")).text
      #expect(text.hasPrefix("swiftget: LIST:17: ") && !text.contains("secret"), "\(text)")
    }
  }

  @Test(arguments: [
    ("http-proxy", "--proxy"), ("all-proxy-passwd", "--proxy"), ("http-user", "--netrc"), ("index-out", "http:"),
    ("parameterized-uri", "URL"), ("no-proxy", "whole run"),
    ("hash-check-only", "--check"),
    ("follow-metalink", "Metalink"), ("enable-rpc", "remote control"), ("disk-cache", "command line"),
  ])
  func `have a remedy for options that a list of aria2 may not have`(name: String, remedy: String) {
    #expect(ListMessages.hint(.unknownOption(name))?.text(in: .command).contains(remedy) == true)
    #expect(ListMessages.message(.unknownOption(name)) == "swiftget does not support '\(name)' here")
  }

  @Test(arguments: ["x", "cacert"])
  func `tell options of aria2 from others`(name: String) {
    #expect(ListMessages.hint(.unknownOption(name))?.text(in: .command).contains("name=value") == true)
    #expect(ListMessages.message(.unknownOption(name)) == "unknown option '\(name)'")
  }

  /// What a list of this text, read in this form, is refused with.
  private func errors(_ text: String, _ format: ListFormat) -> [Failure] {
    var reader = LineListParser(format: format)
    Array(text.utf8).withUnsafeBytes { reader.append($0) }
    reader.end()
    var errors: [Failure] = []
    while true {
      do throws(ListError) {
        guard try reader.next() != nil else { return errors }
      } catch {
        errors.append(Failure(error.problem, of: "LIST:\(error.lineNumber)"))
      }
    }
  }

  @Test func `show neither credentials nor queries`() {
    for text in ["user:secret@host/x", "ftp:/u:sec?ret@h", "host/x?token=secret", "user:secret@host?secret"] {
      for format in LineListParser.formats {
        let errors = errors(text, format)
        #expect(errors.count == 1)
        #expect(errors.allSatisfy { !$0.message.contains("sec") && !($0.hint() ?? "").contains("secret") })
      }
    }
    for option in ["header=Authorization secret", "Authorization: Bearer secret", "Authorization: Basic secret="] {
      let errors = errors("https://a/b\n  \(option)\n", .urlList)
      #expect(errors.count == 1)
      #expect(errors.allSatisfy { !$0.message.contains("secret") && !($0.hint() ?? "").contains("secret") })
    }
  }

  @Test func `hold printable text only, and not too much of it`() {
    #expect(errors("\u{1b}[2Jé", .checksums).map(\.message) == ["LIST:1: '?[2J??' is not a checksum line"])
    let digits = String(repeating: "0123456789", count: 7)
    #expect(
      ListMessages.message(.unnamedChecksum(Array(digits.utf8)))
        == "the checksum '\(digits.prefix(40))…' has no known algorithm")
    for byte in UInt8.min...UInt8.max {
      let shown = ListMessages.message(.notURL([byte])).unicodeScalars
      #expect(shown.allSatisfy { $0.isASCII ? $0.value >= 0x20 : $0 == "…" }, "\(byte)")
    }
  }

  @Test func `send a checksum list that was taken for URLs to its option`() {
    #expect(ListMessages.hint(.checksumLine)?.text(in: .command).contains("--base-url") == true)
    #expect(ListMessages.hint(.notURL(Array("a.iso".utf8)))?.text(in: .command).contains("--base-url") == true)
    #expect(ListMessages.hint(.utf16)?.text(in: .command).contains("iconv") == true)
  }
}
