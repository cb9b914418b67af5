internal import DownloadCore
internal import DownloadEvents

extension GivenOption {
  /// Nil where nothing is given.
  init?(_ finding: OptionFinding) {
    switch finding {
    case .option(let spec, _, let argument): self.init(spec, argument: argument)
    case .takenBack(let spec, _): self.init(name: "--" + spec.negation, value: nil)
    case .refused, .hosts: return nil
    }
  }

  init(_ spec: OptionSpec, argument: [UInt8]?) {
    let value = argument.map { argument in
      switch spec.disclosure {
      case .nothing: String(decoding: Redaction.ellipsis, as: UTF8.self)
      case .fieldName:
        String(
          decoding: argument.prefix { $0 != UInt8(ascii: ":") } + Array(": ".utf8) + Redaction.ellipsis, as: UTF8.self)
      case .withoutSecretsOfURLs: String(decoding: Redaction.argument(argument), as: UTF8.self)
      }
    }
    self.init(name: "--" + spec.long, value: value)
  }
}
