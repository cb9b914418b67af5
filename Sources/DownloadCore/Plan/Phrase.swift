/// A message or a hint that may name settings: `"replace it with \(.ifExists, "replace"), or move it away"`.
///
/// It becomes a text where it is shown, in the vocabulary of the program that shows it.
package struct Phrase: Hashable, Sendable, ExpressibleByStringInterpolation {
  private enum Part: Hashable, Sendable {
    case text(String)
    case setting(Setting, value: String?)
  }

  private var parts: [Part]

  package init(_ text: String) { parts = text.isEmpty ? [] : [.text(text)] }
  package init(stringLiteral text: String) { self.init(text) }
  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.phrase }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var phrase = Phrase("")

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) { phrase.append(Phrase(text)) }
    package mutating func appendInterpolation(_ text: String) { phrase.append(Phrase(text)) }
    package mutating func appendInterpolation(_ number: Int) { phrase.append(Phrase(String(number))) }
    package mutating func appendInterpolation(_ other: Phrase) { phrase.append(other) }
    package mutating func appendInterpolation(_ setting: Setting, _ value: String? = nil) {
      phrase.parts.append(.setting(setting, value: value))
    }
  }

  package static func + (one: Phrase, other: Phrase) -> Phrase {
    var both = one
    both.append(other)
    return both
  }

  /// Equal texts are equal phrases, whatever they were made of.
  private mutating func append(_ other: Phrase) {
    for part in other.parts {
      if case .text(let text) = part, case .text(let last)? = parts.last {
        parts[parts.count - 1] = .text(last + text)
      } else {
        parts.append(part)
      }
    }
  }

  package func text(in vocabulary: Vocabulary) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let part): text += part
      case .setting(let setting, let value): text += vocabulary.name(setting, value)
      }
    }
    return text
  }
}

extension DefaultStringInterpolation {
  // An unavailable one would be passed over for that of any type.
  @available(*, deprecated, message: "a phrase is shown in a vocabulary")
  package mutating func appendInterpolation(_ phrase: Phrase) {}
}
