import CShims
import DownloadCore
import Glibc

/// Splits the command line into options and operands with getopt_long, over raw bytes. `InvocationParser` interprets
/// them.
struct CommandLineScanner {
  enum Finding {
    /// `spelling` is `-d` or `--dir`, as given.
    case option(OptionSpec, spelling: String, argument: [UInt8]?)
    /// A short option of other tools, see `ForeignOptions`.
    case foreign(Character, argument: [UInt8]?)
  }

  private(set) var findings: [Finding] = []
  /// Arguments that are not options, in order.
  private(set) var operands: [[UInt8]] = []
  /// The error that ended the scan; the findings before it are valid.
  private(set) var refusal: DownloadError?

  /// Serializes scans: getopt keeps its position in process-wide variables.
  private static let turn = Lock(())
  /// getopt's values of long options start here; lower values are the characters of short ones.
  private static let firstLongValue: Int32 = 256

  /// - Parameter arguments: without the program's name.
  init(_ arguments: [[UInt8]]) {
    let words = CStrings([Array("swiftget".utf8)] + arguments)
    let longs = LongOptions(OptionTable.options, firstValue: Self.firstLongValue)
    defer {
      words.free()
      longs.free()
    }
    Self.turn.withLock { _ in scan(words, longs) }
  }

  private mutating func scan(_ words: CStrings, _ longs: LongOptions) {
    let shorts = Self.shortOptions
    swiftget_options_begin()
    while true {
      let step = swiftget_options_next(words.count, words.base, shorts, longs.base)
      let argument = step.argument.map { Array(UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init)) }
      switch step.value {
      case -1:
        operands = (step.next..<words.count).map { words[$0] }
        return
      case Int32(UInt8(ascii: "?")), Int32(UInt8(ascii: ":")):
        let isMissing = step.value == Int32(UInt8(ascii: ":"))
        refusal = Self.refusal(of: step.refused, word: words[step.next - 1], argumentIsMissing: isMissing)
        return
      case Self.firstLongValue...:
        let spec = OptionTable.options[Int(step.value - Self.firstLongValue)]
        findings.append(.option(spec, spelling: "--" + spec.long, argument: argument))
      default:
        let character = Character(Unicode.Scalar(UInt8(truncatingIfNeeded: step.value)))
        if let spec = OptionTable.options.first(where: { $0.shorts.contains(character) }) {
          findings.append(.option(spec, spelling: "-\(character)", argument: argument))
        } else {
          findings.append(.foreign(character, argument: argument))
        }
      }
    }
  }

  /// The leading colon makes getopt distinguish a missing argument from an unknown option.
  private static let shortOptions: String = {
    var text = ":"
    for spec in OptionTable.options {
      for short in spec.shorts {
        switch spec.argument {
        case .nothing: text += "\(short)"
        case .required: text += "\(short):"
        case .optional: text += "\(short)::"
        }
      }
    }
    return text + ForeignOptions.shortOptions
  }()

  /// Never shows the text after an equals sign, which may be a password, nor a URL inside the name.
  private static func refusal(of value: Int32, word: [UInt8], argumentIsMissing: Bool) -> DownloadError {
    if value >= firstLongValue {
      let spec = OptionTable.options[Int(value - firstLongValue)]
      if argumentIsMissing { return missingArgument("--" + spec.long, spec) }
      return DownloadError(.usage, "option '--\(spec.long)' takes no argument")
    }
    if value != 0 {  // negative for a byte beyond ASCII, where char is signed
      let character = Character(Unicode.Scalar(UInt8(truncatingIfNeeded: value)))
      if let spec = OptionTable.options.first(where: { $0.shorts.contains(character) }) {
        return missingArgument("-\(character)", spec)
      }
      let shown = character.isASCII ? "'-\(character)'" : "'-' with a letter that is not ASCII"
      return DownloadError(
        .usage, "unknown option \(shown)",
        hint: ForeignOptions.hint(forShort: character) ?? "swiftget --help lists all options")
    }
    let name = String(decoding: word.dropFirst(2).prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    let shown = String(decoding: Redaction.argument(name.utf8), as: UTF8.self)
    let candidates = OptionTable.options.flatMap(\.longs).filter { $0.hasPrefix(name) }
    if candidates.count > 1, !name.isEmpty {
      return DownloadError(
        .usage, "option '--\(shown)' is ambiguous",
        hint: "it could be " + candidates.sorted().map { "--" + $0 }.joined(separator: ", "))
    }
    let hint =
      ForeignOptions.hint(forLong: name)
      ?? Suggestion.nearest(to: name, among: OptionTable.options.flatMap(\.longs)).map { "did you mean --\($0)?" }
    return DownloadError(.usage, "unknown option '--\(shown)'", hint: hint ?? "swiftget --help lists all options")
  }

  private static func missingArgument(_ spelling: String, _ spec: OptionSpec) -> DownloadError {
    guard case .required(let name) = spec.argument else {
      preconditionFailure("\(spelling) needs no argument, yet getopt missed it")
    }
    return DownloadError(.usage, "option '\(spelling)' needs an argument: \(name)")
  }
}

/// A NULL-terminated array of C strings. getopt permutes the pointers. The owner calls `free`.
private struct CStrings {
  let base: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  let count: Int32

  init(_ words: [[UInt8]]) {
    base = .allocate(capacity: words.count + 1)
    count = Int32(words.count)
    for (index, word) in words.enumerated() {
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
      for (offset, byte) in word.enumerated() { copy[offset] = CChar(bitPattern: byte) }
      copy[word.count] = 0
      (base + index).initialize(to: copy)
    }
    (base + words.count).initialize(to: nil)
  }

  subscript(index: Int32) -> [UInt8] {
    guard let word = base[Int(index)] else { return [] }
    return UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
  }

  func free() {
    for index in 0..<Int(count) { base[index]?.deallocate() }
    base.deallocate()
  }
}

/// getopt_long's table. Aliases share the value of their option, so that a common prefix is not ambiguous.
private struct LongOptions {
  let base: UnsafeMutablePointer<option>
  private let count: Int

  init(_ specs: [OptionSpec], firstValue: Int32) {
    let rows = specs.enumerated().flatMap { index, spec in
      spec.longs.map { (name: $0, value: firstValue + Int32(index), argument: spec.argument) }
    }
    count = rows.count
    base = .allocate(capacity: rows.count + 1)
    for (index, row) in rows.enumerated() {
      let argument =
        switch row.argument {
        case .nothing: no_argument
        case .required: required_argument
        case .optional: optional_argument
        }
      (base + index).initialize(to: option(name: strdup(row.name), has_arg: argument, flag: nil, val: row.value))
    }
    (base + rows.count).initialize(to: option())
  }

  func free() {
    for index in 0..<count { Glibc.free(UnsafeMutableRawPointer(mutating: base[index].name)) }
    base.deallocate()
  }
}
