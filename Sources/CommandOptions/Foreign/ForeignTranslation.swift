internal import DownloadCore

/// What an option of another tool becomes on our command line.
enum ForeignTranslation: Equatable {
  case option(OptionID, argument: [UInt8]?)
  case url([UInt8])
  case showsProgress
  case nothing
  case refused(Failure)
}

extension ForeignOption {
  /// - Parameters:
  ///   - spelling: `-C` or `--continue-at`, as given.
  ///   - argument: never shown in an error, for it may be a password.
  func translated(spelling: String, argument: [UInt8]?) -> ForeignTranslation {
    translated(meaning, spelling, argument)
  }

  private func translated(_ meaning: Meaning, _ spelling: String, _ argument: [UInt8]?) -> ForeignTranslation {
    switch meaning {
    case .same(let id): return .option(id, argument: argument)
    case .fixed(let id, let value): return .option(id, argument: value.map { Array($0.utf8) })
    case .converted(let id, let conversion): return .option(id, argument: argument.map(conversion.apply))
    case .boolean(let isTrue, let isFalse):
      switch argument.map({ String(decoding: $0, as: UTF8.self) }) {
      case nil, "true": return translated(isTrue, spelling, nil)
      case "false": return translated(isFalse, spelling, nil)
      default: return .refused(Failure(.usage, "\(spelling): the argument must be true or false"))
      }
    case .only(let values, let meaning, let hint):
      guard let argument, values.contains(String(decoding: argument, as: UTF8.self)) else {
        let known = values.map { "'\($0)'" }.joined(separator: ", ")
        return .refused(Failure(.usage, "\(spelling): swiftget supports only \(known) here", hint: hint))
      }
      return translated(meaning, spelling, argument)
    case .unless(let value, let meaning):
      return argument?.elementsEqual(value.utf8) == true ? .nothing : translated(meaning, spelling, argument)
    case .cookies: return cookies(argument ?? [], spelling)
    case .url: return .url(argument ?? [])
    case .showsProgress: return .showsProgress
    case .nothing: return .nothing
    case .refused where self.argument == .optional && argument?.elementsEqual("false".utf8) == true: return .nothing
    case .refused(let hint):
      let name = spelling.hasPrefix("--") ? "" : " (--\(long))"
      let tools = ForeignOptions.tools(of: self)
      return .refused(
        Failure(.usage, "'\(spelling)'\(name) is an option of \(tools), not of swiftget", hint: hint))
    }
  }

  private func cookies(_ argument: [UInt8], _ spelling: String) -> ForeignTranslation {
    if TargetName.isURL(argument) {
      let hint =
        spelling == "-b" ? "in curl it is -b FILE or -b NAME=VALUE; for wget's -b \(ForeignHint.background)" : nil
      return .refused(
        Failure(.usage, "\(spelling): the argument is a URL, not a cookie or a file of cookies", hint: hint))
    }
    if argument.contains(UInt8(ascii: "=")) { return .option(.header, argument: Array("Cookie: ".utf8) + argument) }
    return .option(.loadCookies, argument: argument.isEmpty ? Array("/dev/null".utf8) : argument)
  }
}

extension ForeignOption.Conversion {
  func apply(to argument: [UInt8]) -> [UInt8] {
    switch self {
    case .retriesToTries:
      // What is not a count is left for the error about it.
      guard let retries = Int64(digits: argument) else { return argument }
      return Array(String(min(retries, 9999) + 1).utf8)
    case .pauseToRequests: return Array("1/".utf8) + argument
    case .pathToCertificate:
      return argument.flatMap {
        [UInt8(ascii: ":"), UInt8(ascii: "\\")].contains($0) ? [UInt8(ascii: "\\"), $0] : [$0]
      }
    }
  }
}
