package import DownloadCore

extension ForeignOption {
  /// What it means on our command line.
  package indirect enum Meaning: Sendable, Equatable {
    /// Our option with this argument; nil for one that takes none.
    case fixed(OptionID, String?)
    /// Our option with the argument given.
    case same(OptionID)
    /// Our option with an argument made of the one given.
    case converted(OptionID, Conversion)
    /// `true`, `false`, or no argument, which is `true`.
    case boolean(Meaning, isFalse: Meaning)
    /// Has the meaning with one of these arguments only.
    case only([String], Meaning, hint: String)
    /// Nothing with this argument, and the meaning with any other.
    case unless(String, Meaning)
    /// curl's `--cookie`: `NAME=VALUE` is sent as a Cookie field, other text names a file. An empty name is no file, but
    /// keeps cookies.
    case cookies
    /// The argument is one more URL.
    case url
    /// Takes back `-q`, before or after it.
    case showsProgress
    /// What swiftget always does, or what only tunes the other tool's own machinery: no file depends on it.
    case nothing
    /// Names our equivalent, or says why there is none.
    case refused(hint: String)

    private static let ours = Dictionary(
      uniqueKeysWithValues: OptionTable.options.flatMap { spec in spec.longs.map { ("--" + $0, spec.id) } })

    /// - Parameter text: as in `foreign-options.tsv`.
    init?(_ text: String) { self.init(text.split(separator: " ")[...]) }

    private init?(_ words: ArraySlice<Substring>) {
      guard let first = words.first else { return nil }
      let rest = words.dropFirst()
      switch (first, rest.count) {
      case ("!", _): self = .refused(hint: rest.joined(separator: " "))
      case ("only", _):
        guard let colon = rest.firstIndex(of: ":"), let mark = rest.firstIndex(of: "!"), colon < mark,
          let meaning = Self(rest[colon..<mark].dropFirst())
        else { return nil }
        self = .only(rest[..<colon].map(String.init), meaning, hint: rest[mark...].dropFirst().joined(separator: " "))
      case ("unless", 3...):
        guard let meaning = Self(rest.dropFirst(2)) else { return nil }
        self = .unless(String(rest[rest.startIndex]), meaning)
      case ("if", _):
        guard let other = rest.firstIndex(of: "else"), let isTrue = Self(rest[..<other]),
          let isFalse = Self(rest[other...].dropFirst())
        else { return nil }
        self = .boolean(isTrue, isFalse: isFalse)
      case ("-", 0): self = .nothing
      case ("cookies", 0): self = .cookies
      case ("url", 0): self = .url
      case ("progress", 0): self = .showsProgress
      case (_, 0...1):
        guard let id = Self.ours[String(first)] else { return nil }
        let word = rest.first.map(String.init)
        self = word == "ARG" ? .same(id) : word.flatMap(Conversion.init).map { .converted(id, $0) } ?? .fixed(id, word)
      default: return nil
      }
    }
  }

  /// The names are those in `foreign-options.tsv`.
  package enum Conversion: String, Sendable {
    /// Attempts after the first one, to attempts in all.
    case retriesToTries = "RETRIES"
    /// A path, to `FILE[:PASSWORD]`.
    case pathToCertificate = "PATH"
    /// A pause between two requests, to `1/TIME`.
    case pauseToRequests = "PAUSE"
  }

  package var meaning: Meaning {
    guard let meaning = Meaning(onCommandLine) else {
      preconditionFailure("--\(long) has no meaning: \(onCommandLine)")
    }
    return meaning
  }

  package var isRefused: Bool { if case .refused = meaning { true } else { false } }
}

/// Hints that the program uses where it meets no such option.
enum ForeignHint {
  static var noLinks: String { ForeignTable.shared.hint("no-links") }
  static var background: String { ForeignTable.shared.hint("background") }
}
