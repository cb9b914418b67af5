import Testing

@testable import CommandOptions
@testable import DownloadCore

/// A value that words are made of, and the facts that they must contain.
struct Sample<Value: Sendable>: Sendable {
  let value: Value
  let facts: [String]

  init(_ value: Value, _ facts: String...) {
    self.value = value
    self.facts = facts
  }
}

/// What holds for all words.
enum Wording {
  /// A URL whose query, and a detail whose URL, hold a secret.
  static let location = Location(scheme: .https, host: "example.org", port: 443, path: "/a.iso", query: "secret")
  static let detail = "detail of https://me:secret@example.org/f?secret"
  static let digest = ContentDigest(.sha256, [UInt8](repeating: 0xab, count: 32))!
  static let otherDigest = ContentDigest(.sha256, [UInt8](repeating: 0xcd, count: 32))!

  static func check(_ message: String, hint: Phrase?, facts: [String], _ about: Comment) {
    check(message, hint: hint?.text(in: .command), facts: facts, about)
  }

  static func check(_ message: String, hint: String? = nil, facts: [String], _ about: Comment) {
    for fact in facts { #expect(message.contains(fact), "\(about): \(message)") }
    for text in [message, hint].compactMap({ $0 }) {
      #expect(isPhrase(text), "\(about): \(text)")
      #expect(unknownOptions(in: text).isEmpty, "\(about): \(text)")
      #expect(!Redaction.words(text).contains("secret"), "\(about): \(text)")
      #expect(!text.contains("\n") && !text.contains("Optional("), "\(about): \(text)")
    }
  }

  /// Begins with a lower-case letter, a number, an acronym or an option; ends without a full stop.
  static func isPhrase(_ text: String) -> Bool {
    guard let first = text.first, let word = text.split(separator: " ").first else { return false }
    let begins = first.isLowercase || first.isNumber || first == "-" || word.allSatisfy(\.isUppercase)
    return begins && !text.hasSuffix(".") && !text.hasSuffix(" ")
  }

  /// Options that the text names and the table lacks, or whose values it lacks; `see --input-format` names no value.
  static func unknownOptions(in text: String) -> [String] {
    // Those of the shell's `ulimit` are not ours.
    let words = text.replacing(/\(ulimit [^)]*\)/, with: "").split { " ,;()'".contains($0) }
    return words.indices.compactMap { index in
      let word = words[index]
      guard word.hasPrefix("-"), word.count > 1 else { return nil }
      let spec = OptionTable.options.first { spec in
        spec.longs.contains { word == "--" + $0 } || spec.shorts.contains { word == "-\($0)" }
      }
      guard let spec else { return String(word) }
      guard case .oneOf(let values) = spec.values, index == 0 || words[index - 1] != "see" else { return nil }
      return index + 1 < words.count && values.contains(String(words[index + 1])) ? nil : String(word)
    }
  }
}

@Suite struct `The check of words` {
  @Test func `finds what is no phrase, and options that do not exist`() {
    #expect(Wording.isPhrase("cannot open x") && Wording.isPhrase("TLS failed") && Wording.isPhrase("-d helps"))
    #expect(!Wording.isPhrase("Cannot open x") && !Wording.isPhrase("it ends.") && !Wording.isPhrase(""))
    #expect(Wording.unknownOptions(in: "use -d, or --cacert (ulimit -n); --if-exists keep does") == [])
    #expect(
      Wording.unknownOptions(in: "use -@ or --no-such; --if-exists sometimes")
        == ["-@", "--no-such", "--if-exists"])
  }
}
