internal import DownloadCore
internal import DownloadWords

/// The lines of a configuration file: `name = value`, `name`, `[host NAME]`, and comments that begin with `#`.
enum ConfigurationParser {
  /// The lines up to the last one whose problem is shown.
  static func findings(_ file: ConfigurationFile) -> [OptionFinding] {
    var text = file.text[...]
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
    let shown = NamedFiles.shown(file.place.path)
    var findings: [OptionFinding] = []
    var isOfHost = false
    var problemCount = 0
    for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      let line = (line.last == 0x0d ? line.dropLast() : line).trimmed
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      let place = "\(shown):\(index + 1)"
      let finding = first == UInt8(ascii: "[") ? section(line, place) : option(Array(line), place, isOfHost: isOfHost)
      if first == UInt8(ascii: "[") { isOfHost = true }
      guard let finding else { continue }
      findings.append(finding)
      if case .refused = finding { problemCount += 1 }
      if problemCount == UsageErrors.mostOfFile { break }
    }
    return findings
  }

  private static func refused(_ place: String, _ message: String, hint: String? = nil) -> OptionFinding {
    .refused(Failure(.usage, "\(place): \(message)", hint: hint))
  }

  private static func section(_ line: ArraySlice<UInt8>, _ place: String) -> OptionFinding {
    let hint = "a section is [host NAME], where NAME may have * and ?, such as [host *.example.org]"
    guard line.last == UInt8(ascii: "]"), let text = String(validating: line.dropFirst().dropLast(), as: UTF8.self)
    else {
      return refused(place, "this is no section", hint: hint)
    }
    let words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard words.first == "host", words.count > 1 else { return refused(place, "this is no section", hint: hint) }
    let names = words.dropFirst()
    if let name = names.first(where: { $0.contains("/") || $0.contains("@") }) {
      return refused(place, "'\(Diagnostic.escaped(Redaction.words(name)))' is not the name of a host", hint: hint)
    }
    if let name = names.first(where: { $0.count(where: { $0 == ":" }) == 1 }) {
      return refused(
        place, "'\(Diagnostic.escaped(name))' has a port", hint: "a section is for all ports of a host: leave it out")
    }
    return .hosts(Array(names))
  }

  /// - Returns: nil for what takes an option back, and is switched off.
  static func option(_ line: [UInt8], _ place: String, isOfHost: Bool) -> OptionFinding? {
    if line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) {
      return refused(place, "the line contains a control character")
    }
    let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(decoding: Array(parts[0]).trimmed, as: UTF8.self)
    let value = parts.count > 1 ? Array(Array(parts[1]).trimmed) : nil
    let negated = OptionTable.negations[name]
    guard let spec = OptionTable.options.first(where: { $0.longs.contains(name) }) ?? negated else {
      // The rest of a line as in other programs' files may be a password.
      let word = String(name.prefix { !" \t:".contains($0) })
      let shown = Diagnostic.escaped(Redaction.argument(Array(word.utf8)))
      let nearest = Suggestion.nearest(to: word, among: OptionTable.options.flatMap(\.longs))
      let hint = word == name ? nearest.map { "did you mean \($0)?" } : "write NAME = VALUE, such as: jobs = 4"
      return refused(
        place, word == name ? "'\(shown)' is not an option" : "'=' is missing behind '\(shown)'",
        hint: hint ?? "long options without dashes, such as: jobs = 4")
    }
    guard !spec.isOfOneRun else {
      return refused(place, "'\(name)' cannot stand in a configuration file", hint: "give it on the command line")
    }
    if isOfHost, !spec.isForHosts {
      let names = OptionTable.options.filter(\.isForHosts).map(\.long)
      return refused(
        place, "'\(name)' cannot be set for a host", hint: "in a section stand only \(names.joined(separator: ", "))")
    }
    let spelling = "\(place): \(name)"
    switch spec.argument {
    case .required(let placeholder):
      guard let value else { return refused(place, "'\(name)' needs a value: \(name) = \(placeholder)") }
      return .option(spec, spelling: spelling, argument: value)
    case .optional: return .option(spec, spelling: spelling, argument: value)
    case .nothing:
      let given = OptionFinding.option(spec, spelling: spelling, argument: nil)
      let takenBack = OptionFinding.takenBack(spec, spelling: spelling)
      switch value.map({ String(decoding: $0, as: UTF8.self) }) {
      case nil, "true": return negated == nil ? given : takenBack
      case "false": return negated == nil ? takenBack : nil
      default: return refused(place, "'\(name)' takes no value but true or false")
      }
    }
  }
}
