/// The options of aria2's input files (aria2c(1), section "Input File").
enum Aria2Option: String {
  case out, directory = "dir", checksum, header, referer, userAgent = "user-agent", noCache = "http-no-cache"
  /// No file depends on it.
  case ignored = "-"

  /// Whether an entry may have one value of it. aria2 takes the last one.
  var standsOnce: Bool {
    switch self {
    case .out, .directory, .referer, .userAgent: true
    case .checksum, .header, .noCache, .ignored: false
    }
  }

  /// - Parameter value: without blanks around it.
  /// - Throws: for names that aria2 does not know, and for options that must not be ignored.
  init(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) throws(ListProblem) {
    let text = name.loweredPrintable
    let meaning = Self.meanings[text]
    if let meaning, meaning.harmless.contains(value.loweredPrintable) {
      self = .ignored
    } else if let option = meaning?.option {
      self = option
    } else {
      // Show it only if it looks like a name. It may be a secret header whose `header=` is missing.
      throw .unknownOption(name.allSatisfy(Self.isNameByte) ? text : nil)
    }
  }

  /// Whether the text has the form `name=value`.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else { return false }
    return text[..<equals].trimmed.allSatisfy(isNameByte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-")
  }

  private struct Meaning {
    /// Nil if it is refused.
    var option: Aria2Option?
    /// With these values it changes nothing.
    var harmless: [String] = []

    /// - Parameter text: as in `foreign-options.tsv`.
    init(_ text: String, _ argument: ForeignOption.Argument) {
      let words = text.split(separator: " ").map(String.init)
      if words[0] == "!" {
        if argument == .optional { harmless = ["", "false"] }
      } else if words[0] == "only" {
        harmless = [""] + words.dropFirst().prefix { $0 != ":" }
      } else if let option = Aria2Option(rawValue: text) {
        self.option = option
        if option == .noCache { harmless = ["false"] }
      } else {
        preconditionFailure("no meaning in a list: \(text)")
      }
    }
  }

  private static let meanings = Dictionary(
    uniqueKeysWithValues: ForeignTable.shared.options.filter { $0.tool == .aria2 }.compactMap { option in
      option.inList.map { (option.long, Meaning($0, option.argument)) }
    })
}
