package import DownloadCore

/// Formats errors: `swiftget: NAME: what failed: cause`, then `hint: …` where there is one.
package struct Diagnostic: Sendable, Equatable {
  /// The file's name in raw bytes; nil for an error of the command line or the run.
  var name: [UInt8]?
  var message: Phrase
  package var hint: Phrase?

  package init(name: [UInt8]? = nil, message: String, hint: String? = nil) {
    self.init(name: name, words: Phrase(message), hint: hint.map { Phrase($0) })
  }

  package init(name: [UInt8]? = nil, words message: Phrase, hint: Phrase? = nil) {
    self.name = name
    self.message = message
    self.hint = hint
  }

  package init(_ error: Failure, name: [UInt8]? = nil) {
    self.init(name: name, words: error.words, hint: error.advice())
  }

  /// The failure of an item, with the line of its list.
  package init(_ error: Failure, of outcome: Outcome) {
    let place = outcome.source.map { " (\($0.text))" } ?? ""
    self.init(name: outcome.name, words: "\(error.words)\(place)", hint: error.advice(isSaved: outcome.byteCount > 0))
  }

  /// One line, or two with the hint. Ends with a newline; contains no other control characters and no secrets.
  package func text(in vocabulary: Vocabulary) -> String {
    var text = "swiftget: "
    if let name { text += Diagnostic.escaped(name) + ": " }
    text += Diagnostic.escaped(Redaction.words(message.text(in: vocabulary))) + "\n"
    if let hint { text += "hint: " + Diagnostic.escaped(Redaction.words(hint.text(in: vocabulary))) + "\n" }
    return text
  }

  /// Makes bytes from servers, lists and file systems safe for terminals and logs.
  ///
  /// Control characters and bytes that are not UTF-8 become `\x1b`; invisible characters and those that reorder text
  /// become `\u{202e}`. Joiners stay, because Persian names and emoji need them. Backslashes are not escaped.
  package static func escaped(_ bytes: [UInt8]) -> String {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return String(decoding: bytes, as: UTF8.self) }
    var text = ""
    var rest = bytes.makeIterator()
    var position = 0
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar):
        append(Unicode.UTF8.decode(scalar), to: &text)
        position += scalar.count
      case .error(let length):
        for byte in bytes[position..<position + length] { text += "\\x" + Hexadecimal.text(CollectionOfOne(byte)) }
        position += length
      case .emptyInput: return text
      }
    }
  }

  package static func escaped(_ text: String) -> String { escaped(Array(text.utf8)) }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar.properties.generalCategory {
    case .control where scalar.value < 0x80: text += "\\x" + Hexadecimal.text(CollectionOfOne(UInt8(scalar.value)))
    case .format where scalar.value == 0x200c || scalar.value == 0x200d: text.unicodeScalars.append(scalar)
    case .control, .format, .lineSeparator, .paragraphSeparator: text += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: text.unicodeScalars.append(scalar)
    }
  }
}
