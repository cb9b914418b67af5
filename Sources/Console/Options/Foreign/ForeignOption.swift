/// A tool whose options people bring along.
enum ForeignTool: String, Sendable, CaseIterable {
  case curl, wget, aria2
}

/// An option of another tool, and what it means here.
struct ForeignOption: Sendable, Equatable {
  enum Argument: Sendable, Equatable {
    case nothing
    case required
    /// aria2's `[=true|false]`: given after an equals sign only.
    case optional
  }

  enum Meaning: Sendable, Equatable {
    /// Our option with the same argument.
    case same(OptionID)
    /// Our option with this argument; nil for one that takes none.
    case fixed(OptionID, String?)
    /// Our option with an argument made of the one given.
    case converted(OptionID, Conversion)
    /// `true`, `false`, or no argument, which is `true`.
    indirect case boolean(Meaning, isFalse: Meaning)
    /// Has the meaning with one of these arguments only.
    indirect case only([String], Meaning, hint: String)
    /// Nothing with this argument, and the meaning with any other.
    indirect case unless(String, Meaning)
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
  }

  enum Conversion: Sendable, Equatable {
    /// Attempts after the first one, to attempts in all.
    case retriesToTries
    /// A path, to `FILE[:PASSWORD]`.
    case pathToCertificate
  }

  let tool: ForeignTool
  /// Without the dashes.
  let long: String
  /// One character, or wget's two behind one dash (`nc`).
  let short: String?
  let argument: Argument
  let meaning: Meaning

  var isRefused: Bool { if case .refused = meaning { true } else { false } }
}

/// Options of one tool that mean the same here: a part of a tool's table.
struct ForeignGroup {
  let meaning: ForeignOption.Meaning
  private let names: [(argument: ForeignOption.Argument, text: String)]

  /// Names are separated by white space; a short name follows the long one after a colon.
  ///
  /// - Parameters:
  ///   - flags: options without an argument.
  ///   - arguments: options that need one.
  ///   - booleans: options that may have one.
  init(_ meaning: ForeignOption.Meaning, flags: String = "", arguments: String = "", booleans: String = "") {
    self.meaning = meaning
    names = [(.nothing, flags), (.required, arguments), (.optional, booleans)]
  }

  func options(of tool: ForeignTool) -> [ForeignOption] {
    names.flatMap { argument, text in
      text.split(whereSeparator: \.isWhitespace).map { name in
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return ForeignOption(
          tool: tool, long: String(parts[0]), short: parts.count > 1 ? String(parts[1]) : nil, argument: argument,
          meaning: meaning)
      }
    }
  }
}

/// Hints that several tools' options share.
enum ForeignHint {
  static let downloadsOnly = "swiftget only downloads, with GET"
  static let noOtherProtocols = "only http: and https: are supported"
  static let noLinks = "swiftget does not follow links in pages; use -i LIST for a list of URLs"
  static let login = "use -u USER:PASSWORD, or --netrc, which is safer"
  static let proxyLogin = "give the credentials in the proxy URL (--proxy), as USER:PASSWORD@ before the host"
  static let proxyTLS = "the only TLS options for a proxy are --proxy-cacert FILE and --proxy-insecure"
  static let tls = "TLS settings come from openssl.cnf; swiftget has no option for them"
  static let pem = "certificates and keys are read in the PEM format"
  static let slow = "-T TIME ends connections without data; slow ones are replaced automatically"
  static let configuration = "--config FILE reads a file of swiftget's own; see CONFIGURATION in its manual"
  static let background = "put & after the command to run it in the background"
  static let hooks = "use --on-complete, --on-failure or --on-exit, whose commands find the file in SWIFTGET_PATH"
  static let messages = "messages go to standard error; use 2>FILE or --log FILE to write them to a file"
  static let details = "use -v to see what swiftget does and why"
  static let address = "the system chooses the source address and the route"
  static let resolver = "the system's resolver is used; --resolve HOST:PORT:ADDRESS overrides it"
  static let renaming = "swiftget never renames files automatically; use -o FILE to choose a name"
  static let wholeFile = "swiftget downloads whole files and resumes unfinished ones automatically"
  static let proxyByScheme =
    "--proxy URL sets both; for different proxies set http_proxy and https_proxy"
  static let attributes = "swiftget always stores the URL and checksum in extended attributes"
}
