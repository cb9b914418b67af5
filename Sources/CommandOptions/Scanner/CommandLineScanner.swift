internal import DownloadCore
internal import DownloadWords
internal import Glibc

/// Splits the command line into options and operands, over raw bytes, with the habits of getopt_long: bundled letters,
/// `--name=value`, unambiguous abbreviations, options after operands, `--`. `InvocationParser` interprets them.
///
/// The full name of an option of curl, wget or aria2 is never taken as an abbreviation of one of ours: it is translated
/// into ours, passed over, or refused (see `ForeignOption`).
package struct CommandLineScanner {
  private(set) var findings: [OptionFinding] = []
  /// Arguments that are not options, in order, without the verb and its argument.
  private(set) var operands: [[UInt8]] = []
  /// What the first operand asks for, or for what help is asked for.
  private(set) var verb: VerbSpec?
  /// Whether the next operand is the argument of the verb.
  private var awaitsArgument = false

  var optionIDs: Set<OptionID> { Set(findings.compactMap(\.spec?.id)) }

  /// The words that are not read yet.
  private var words: ArraySlice<[UInt8]>
  /// Words after `-O` that are no URLs: to wget names of files, to curl URLs without a scheme.
  private var wordsAfterO: [[UInt8]] = []
  private var showsProgress = false

  /// The variable with which options end at the first operand (POSIX, 12.2).
  static let strictVariable = "POSIXLY_CORRECT"

  /// - Parameter arguments: without the program's name.
  package init(_ arguments: [[UInt8]]) { self.init(arguments, endsAtOperand: getenv(Self.strictVariable) != nil) }

  /// - Parameter endsAtOperand: whether options end at the first operand.
  init(_ arguments: [[UInt8]], endsAtOperand: Bool) {
    words = arguments[...]
    while let word = words.popFirst() {
      if word.elementsEqual("--".utf8) {
        takeAll()
      } else if word.starts(with: "--".utf8) {
        // Help about an option needs no argument of it.
        if words.isEmpty, has(.help) || verb?.option == .help, OptionTable.named(Array(word.dropFirst(2))) != nil {
          take(operand: Array(word.dropFirst(2)))
        } else {
          scanLong(word.dropFirst(2))
        }
      } else if word.count > 1, word[0] == UInt8(ascii: "-") {
        scanBundle(word.dropFirst())
      } else {
        take(operand: word)
        if endsAtOperand, verb == nil { takeAll() }
      }
    }
    placeWordsAfterO()
    checkVerbArgument()
    if showsProgress {
      findings.removeAll { if case .option(let spec, _, _) = $0 { spec.id == .quiet } else { false } }
    }
  }

  private mutating func takeAll() {
    operands += words
    words = []
  }

  private mutating func take(operand word: [UInt8]) {
    if awaitsArgument, let verb {
      takeArgument(word, of: verb)
    } else if verb == nil, operands.isEmpty, !has(.writeManifest), let found = VerbSpec.named(word) {
      verb = found
      let spec = OptionTable.spec(found.option)
      awaitsArgument = found.option == .help || spec.argument != .nothing
      if !awaitsArgument { findings.append(.option(spec, spelling: found.name, argument: nil)) }
    } else {
      operands.append(word)
    }
  }

  private mutating func takeArgument(_ word: [UInt8], of verb: VerbSpec) {
    awaitsArgument = false
    if verb.option != .help {
      findings.append(.option(OptionTable.spec(verb.option), spelling: verb.name, argument: word))
    } else if let asked = VerbSpec.named(word) {
      self.verb = asked
      findings.append(.option(OptionTable.spec(.help), spelling: verb.name, argument: nil))
    } else if OptionTable.named(word) != nil || word == HelpSubject.listsWord {
      self.verb = nil
      operands.append(word)
      findings.append(.option(OptionTable.spec(.help), spelling: verb.name, argument: nil))
    } else {
      refuse(
        "help: '\(Diagnostic.escaped(Redaction.argument(word)))' is neither a verb nor an option",
        hint: "the verbs are " + (VerbSpec.all.map(\.name) + ["ctl"]).joined(separator: ", ")
          + "; help lists is about lists")
    }
  }

  private mutating func checkVerbArgument() {
    guard awaitsArgument, let verb else { return }
    if verb.option == .help {
      findings.append(.option(OptionTable.spec(.help), spelling: verb.name, argument: nil))
    } else if !has(.help) {
      refuse("'\(verb.name)' needs an argument", hint: "swiftget \(verb.usage)")
    }
  }

  /// The option that help is asked for, by its name behind `--help` or `help`.
  var askedOption: OptionID? { verb == nil ? operands.first.flatMap(OptionTable.named)?.id : nil }

  /// Whether help about lists is asked for.
  var asksAboutLists: Bool { verb == nil && operands.first == HelpSubject.listsWord }

  /// Whether curl's `-s` silences the run.
  var isSilentAsCurl: Bool {
    findings.contains { if case .option(let spec, "-s", _) = $0 { spec.id == .quiet } else { false } }
  }

  private func has(_ id: OptionID) -> Bool {
    findings.contains { if case .option(let spec, _, _) = $0 { spec.id == id } else { false } }
  }

  private mutating func refuse(_ message: String, hint: String? = nil) {
    findings.append(.refused(Failure(.usage, message, hint: hint)))
  }

  // MARK: Long options

  private mutating func scanLong(_ word: ArraySlice<UInt8>) {
    let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(decoding: parts[0], as: UTF8.self)
    let value = parts.count > 1 ? Array(parts[1]) : nil
    if let spec = OptionTable.options.first(where: { $0.longs.contains(name) }) {
      // aria2's `--quiet=true`.
      if value != nil, spec.argument == .nothing, let foreign = ForeignOptions.named(name),
        foreign.argument == .optional
      {
        takeForeign(foreign, spelling: "--" + name, attached: value)
      } else {
        take(spec, spelling: "--" + name, attached: value)
      }
    } else if let spec = OptionTable.negations[name],
      value == nil || ForeignOptions.named(name)?.argument != .optional
    {
      if value != nil { return refuse("option '--\(name)' takes no argument") }
      findings.append(.takenBack(spec, spelling: "--" + name))
    } else if let foreign = ForeignOptions.named(name) {
      takeForeign(foreign, spelling: "--" + name, attached: value)
    } else {
      scanAbbreviation(name, value)
    }
  }

  private mutating func scanAbbreviation(_ name: String, _ value: [UInt8]?) {
    // Aliases of one option are no ambiguity.
    let specs = name.isEmpty ? [] : OptionTable.options.filter { $0.longs.contains { $0.hasPrefix(name) } }
    if specs.count == 1 {
      let whole = specs[0].longs.first { $0.hasPrefix(name) } ?? specs[0].long
      return take(specs[0], spelling: "--" + whole, attached: value)
    }
    // A URL may have come into the name.
    let shown = String(decoding: Redaction.argument(name.utf8), as: UTF8.self)
    let names = OptionTable.options.flatMap(\.longs)
    if specs.count > 1 {
      let candidates = names.filter { $0.hasPrefix(name) }.sorted().map { "--" + $0 }.joined(separator: ", ")
      return refuse("option '--\(shown)' is ambiguous", hint: "it could be \(candidates)")
    }
    let nearest = Suggestion.nearest(to: name, among: names).map { "did you mean --\($0)?" }
    refuse("unknown option '--\(shown)'", hint: nearest ?? Self.generalHint)
  }

  private static let generalHint = "swiftget --help lists all options"

  // MARK: Short options

  /// - Parameter word: what follows the dash.
  private mutating func scanBundle(_ word: ArraySlice<UInt8>) {
    var rest = word
    while let byte = rest.popFirst() {
      let letter = Character(Unicode.Scalar(byte))
      let attached = rest.isEmpty ? nil : Array(rest)
      // curl's -S has no argument, and is written in bundles: `-sS`, `-fsSL`.
      let isOfCurl = letter == "S" && rest.count + 1 < word.count
      if !isOfCurl, let spec = OptionTable.options.first(where: { $0.shorts.contains(letter) }) {
        take(spec, spelling: "-\(letter)", attached: spec.argument == .nothing ? nil : attached)
        if spec.id == .resume, rest.isEmpty { refuseJarOfCurl() }
        if spec.argument == .nothing { continue }
        return
      }
      switch letter {
      case "n": return takeOfWget(second: rest.first)
      case "O":
        if !takeOutput(attached: rest) { return }
      case "s":
        if takeSplit(attached: attached) { return }
        takeLetter("s", attached: nil)
      case "w":
        // wget's --wait has seconds, curl's --write-out a format.
        guard let time = attached ?? words.first, time.first?.isDigit == true,
          let wait = ForeignOptions.all.first(where: { $0.tool == .wget && $0.long == "wait" })
        else { return takeLetter(letter, attached: attached) }
        return takeForeign(wait, spelling: "-w", attached: attached)
      default:
        guard case .option(let foreign)? = ForeignOptions.lettered("\(letter)"), foreign.argument == .nothing,
          !foreign.isRefused
        else { return takeLetter(letter, attached: attached) }
        takeForeign(foreign, spelling: "-\(letter)", attached: nil)
      }
    }
  }

  /// A letter that is none of ours. What is attached to one that is refused is never read as letters: it may be a
  /// password.
  private mutating func takeLetter(_ letter: Character, attached: [UInt8]?) {
    switch ForeignOptions.lettered("\(letter)") {
    case .option(let foreign):
      takeForeign(foreign, spelling: "-\(letter)", attached: foreign.argument == .nothing ? nil : attached)
    case .ambiguous(let rows):
      let meanings = rows.map { "--\($0.long) in \($0.tool.rawValue)" }
      let hints = rows.compactMap { row in
        if case .refused(let hint) = row.meaning { "\(row.tool.rawValue): \(hint)" } else { nil }
      }
      let hint = hints.count < rows.count ? "use the long option" : hints.joined(separator: "; ")
      refuse("'-\(letter)' is ambiguous: \(meanings.joined(separator: ", "))", hint: hint)
    case nil:
      let shown = letter.isASCII ? "'-\(letter)'" : "'-' with a letter that is not ASCII"
      refuse("unknown option \(shown)", hint: Self.generalHint)
    }
  }

  /// `-nc` is one option of wget, never a bundle.
  private mutating func takeOfWget(second: UInt8?) {
    guard let second else { return takeLetter("n", attached: nil) }
    let name = "n\(Character(Unicode.Scalar(second)))"
    if case .option(let foreign)? = ForeignOptions.lettered(name) {
      return takeForeign(foreign, spelling: "-" + name, attached: nil)
    }
    refuse("unknown option '-\(name)'", hint: "supported wget options are -nc, -nd, -nH, -np and -nv")
  }

  /// curl's `-c FILE`: nothing else is a reason for a word after `-c` that is neither an option nor a URL.
  private mutating func refuseJarOfCurl() {
    guard let word = words.first, !word.isEmpty, word.first != UInt8(ascii: "-"), !TargetName.isURL(word) else {
      return
    }
    words.removeFirst()
    refuse(
      "'-c' is --continue, which takes no argument",
      hint: "curl's -c FILE is --save-cookies FILE; URLs begin with https:// or http://")
  }

  /// aria2's `-s16` and `-s 16`; curl's `-s` has no argument.
  private mutating func takeSplit(attached: [UInt8]?) -> Bool {
    guard let count = attached ?? words.first, !count.isEmpty, count.allSatisfy(\.isDigit) else { return false }
    if attached == nil { words.removeFirst() }
    findings.append(.option(OptionTable.spec(.connections), spelling: "-s", argument: count))
    return true
  }

  // MARK: -O

  /// curl's `-O` has no argument and does what is always done; wget's names the file.
  ///
  /// - Returns: whether letters of a bundle follow.
  private mutating func takeOutput(attached: ArraySlice<UInt8>) -> Bool {
    if attached.allSatisfy(ForeignOptions.curlFlags.contains), !attached.isEmpty { return true }
    if attached.isEmpty {
      if let word = words.first, !TargetName.isURL(word), word.count == 1 || word.first != UInt8(ascii: "-") {
        wordsAfterO.append(words.removeFirst())
      }
    } else if attached.allSatisfy({ $0.isLetter }) {
      refuse(
        "'-O' with letters is ambiguous: flags in curl, a file name in wget",
        hint: "use -o FILE to name the file, or write the flags separately")
    } else {
      findings.append(.option(OptionTable.spec(.output), spelling: "-O", argument: Array(attached)))
    }
    return false
  }

  /// Where no other operand could be the URL, the words after `-O` are.
  private mutating func placeWordsAfterO() {
    guard let name = wordsAfterO.last else { return }
    if operands.isEmpty, !has(.inputFile) {
      operands = wordsAfterO
    } else {
      findings.append(.option(OptionTable.spec(.output), spelling: "-O", argument: name))
    }
  }

  // MARK: Arguments

  private mutating func take(_ spec: OptionSpec, spelling: String, attached: [UInt8]?) {
    switch spec.argument {
    case .nothing:
      if attached != nil { return refuse("option '\(spelling)' takes no argument") }
      findings.append(.option(spec, spelling: spelling, argument: nil))
    case .optional: findings.append(.option(spec, spelling: spelling, argument: attached))
    case .required(let name):
      guard let argument = attached ?? words.popFirst() else {
        return refuse("option '\(spelling)' needs an argument: \(name)")
      }
      findings.append(.option(spec, spelling: spelling, argument: argument))
    }
  }

  private mutating func takeForeign(_ foreign: ForeignOption, spelling: String, attached: [UInt8]?) {
    var argument = attached
    switch foreign.argument {
    case .nothing where attached != nil: return refuse("option '\(spelling)' takes no argument")
    case .required where attached == nil:
      guard let word = words.popFirst() else { return refuse("option '\(spelling)' needs an argument") }
      argument = word
    case .nothing, .required, .optional: break
    }
    switch foreign.translated(spelling: spelling, argument: argument) {
    case .option(let id, let argument):
      findings.append(.option(OptionTable.spec(id), spelling: spelling, argument: argument))
    case .url(let url): operands.append(url)
    case .showsProgress: showsProgress = true
    case .nothing: break
    case .refused(let error): findings.append(.refused(error))
    }
  }
}
