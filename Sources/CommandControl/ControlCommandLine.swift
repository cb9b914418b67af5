internal import CommandOptions

/// The words after `swiftget ctl`, taken apart.
package struct ControlCommandLine: Sendable, Equatable {
  package let verb: ControlVerb.VerbName
  /// As they were given, without the options.
  package var operands: [String] = []
  /// Arguments by the names of the options; empty for one without.
  private var arguments: [String: String] = [:]

  /// Whether help is wanted, of a verb or of all.
  package enum Parsed: Sendable, Equatable {
    case command(ControlCommandLine)
    case help(ControlVerb.VerbName?)
  }

  subscript(_ option: ControlOption) -> String? { arguments[option.name] }

  func has(_ option: ControlOption) -> Bool { arguments[option.name] != nil }

  /// - Throws: status 2, with a suggestion for what is misspelled.
  package static func parse(_ words: [[UInt8]]) throws(ControlFailure) -> Parsed {
    var texts: [String] = []
    for word in words {
      guard let text = String(validating: word, as: UTF8.self) else {
        throw ControlFailure(.usage, "an argument is not UTF-8")
      }
      texts.append(text)
    }
    return try parse(texts)
  }

  package static func parse(_ words: [String]) throws(ControlFailure) -> Parsed {
    if words.first == "help" {
      guard let word = words.dropFirst().first else { return .help(nil) }
      return .help(try verb(word).name)
    }
    var rest = words[...]
    var verb: ControlVerb?
    var (operands, arguments): ([String], [String: String]) = ([], [:])
    // Options of the verb may stand before it, so they are looked up when it is known.
    var isLiteral = false
    verb = try self.verb(among: words)
    var hasVerb = false
    while let word = rest.popFirst() {
      if isLiteral || word == "-" || !word.hasPrefix("-") {
        if !hasVerb { hasVerb = true } else { operands.append(word) }
        continue
      }
      if word == "--" {
        isLiteral = true
        continue
      }
      let (option, attached) = try option(word, of: verb)
      switch option.argument {
      case .nothing:
        if attached != nil { throw ControlFailure(.usage, "\(option.name) takes no argument") }
        arguments[option.name] = ""
      case .optional: arguments[option.name] = attached ?? ""
      case .required:
        guard let argument = attached ?? rest.popFirst() else {
          throw ControlFailure(.usage, "\(word) needs an argument")
        }
        arguments[option.name] = argument
      }
    }
    if arguments[ControlOption.help.name] != nil { return .help(verb?.name) }
    guard let verb else {
      throw ControlFailure(.usage, "ctl needs a verb", hint: "swiftget ctl --help lists them")
    }
    let line = ControlCommandLine(verb: verb.name, operands: operands, arguments: arguments)
    if verb.operands == .none, let word = operands.first {
      // A session may be named behind the verb, as systemctl has its units.
      let hint = "a session is named with -S: 'swiftget ctl -S \(word) \(verb.name)'"
      throw ControlFailure(
        .usage, "\(verb.name) takes no selectors: it is about the whole session",
        hint: word.allSatisfy { $0.isLetter } ? hint : nil)
    }
    return .command(line)
  }

  /// The words of a command line without its verb, if that is `name` and no help is wanted; else nil. They need not be
  /// UTF-8.
  package static func words(of name: ControlVerb.VerbName, in words: [[UInt8]]) -> [[UInt8]]? {
    let texts = words.map { String(decoding: $0, as: UTF8.self) }
    guard (try? verb(among: texts))?.name == name, !texts.contains("--help"), !texts.contains("-h"),
      let place = texts.firstIndex(of: name.rawValue)
    else { return nil }
    var rest = words
    rest.remove(at: place)
    return rest
  }

  /// The verb of a command line; nil if there is none.
  private static func verb(among words: [String]) throws(ControlFailure) -> ControlVerb? {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        guard let next = rest.first else { return nil }
        return try verb(next)
      }
      guard word.hasPrefix("-"), word != "-" else { return try verb(word) }
      let known = ControlVerb.all.flatMap(\.options) + ControlOption.common
      if case .required? = known.first(where: { $0.name == word || $0.short == word })?.argument { _ = rest.popFirst() }
    }
    return nil
  }

  /// What does the same as a verb of a similar program.
  private static func habit(_ word: String) -> String? {
    switch word {
    case "start", "serve", "up": "swiftget serve"
    case "delete", "rm": "remove"
    case "clean": "remove state:succeeded"
    case "kill", "abort": "cancel"
    case "restart": "retry"
    case "unpause", "continue": "resume"
    case "ls", "ps", "get", "queue": "list"
    case "describe", "info": "show"
    case "edit": "set"
    case "parallel": "limit jobs=N"
    case "prioritize": "set priority=N"
    case "top": "watch"
    case "follow": "log -f"
    case "quit", "shutdown": "stop"
    default: nil
    }
  }

  private static func verb(_ word: String) throws(ControlFailure) -> ControlVerb {
    if let name = ControlVerb.VerbName(rawValue: word) { return .named(name) }
    let near = Suggestion.nearest(to: word, among: ControlVerb.VerbName.allCases.map(\.rawValue))
    throw ControlFailure(
      .usage, "'\(word)' is no verb of ctl",
      hint: habit(word).map { "'\($0)' does that" } ?? near.map { "perhaps \($0) is meant" }
        ?? "swiftget ctl --help lists the verbs")
  }

  private static func option(
    _ word: String, of verb: ControlVerb?
  ) throws(ControlFailure) -> (ControlOption, attached: String?) {
    let options = (verb?.options ?? []) + ControlOption.common
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let found = options.first(where: { $0.name == parts[0] }) {
      return (found, parts.count == 2 ? parts[1] : nil)
    }
    if !word.hasPrefix("--") {
      if let found = options.first(where: { $0.short == word }) { return (found, nil) }
      // -SNAME
      if let found = options.first(where: { option in
        if case .required = option.argument { option.short.map(word.hasPrefix) ?? false } else { false }
      }) {
        return (found, String(word.dropFirst(2)))
      }
    }
    let near = Suggestion.nearest(to: parts[0], among: options.map { $0.name })
    let place = verb?.name.rawValue ?? "ctl"
    throw ControlFailure(
      .usage, "\(place) has no option \(parts[0])",
      hint: near.map { "perhaps \($0) is meant" } ?? "swiftget \(verb == nil ? "" : "ctl ")\(place) --help lists them")
  }
}
