/// A tool whose options people bring along.
package enum ForeignTool: String, Sendable, CaseIterable {
  case curl, wget, aria2
}

/// An option of another tool. What it means here is text: the words of `foreign-options.tsv`, which explains them.
package struct ForeignOption: Sendable {
  package enum Argument: Sendable {
    case nothing
    case required
    /// aria2's `[=true|false]`: given after an equals sign only.
    case optional
  }

  package let tool: ForeignTool
  /// Without the dashes.
  package let long: String
  /// One character, or wget's two behind one dash (`nc`).
  package let short: String?
  package let argument: Argument
  package let onCommandLine: String
  /// In an input file of aria2; nil where aria2 takes it on the command line only.
  package let inList: String?

  package init(
    tool: ForeignTool, long: String, short: String?, argument: Argument, onCommandLine: String, inList: String? = nil
  ) {
    self.tool = tool
    self.long = long
    self.short = short
    self.argument = argument
    self.onCommandLine = onCommandLine
    self.inList = inList
  }
}

/// What `foreign-options.tsv` says. It is read when an option is met that may be another tool's.
package struct ForeignTable: Sendable {
  package static let shared = ForeignTable(PackageResources.foreign_options_tsv)

  /// In the order of the file.
  package private(set) var options: [ForeignOption] = []
  private var hints: [String: String] = [:]

  private init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let cells = line.split(separator: UInt8(ascii: "\t"))
      let words = cells.map { String(decoding: $0, as: UTF8.self) }
      if cells.count == 3, words[0] == "hint" {
        hints[words[1]] = words[2]
      } else if 3...4 ~= cells.count, let tool = ForeignTool(rawValue: words[0]) {
        let inList = cells.count > 3 ? withHint(words[3]) : nil
        add(tool, names: cells[1], onCommandLine: withHint(words[2]), inList: inList)
      } else {
        preconditionFailure("no row of foreign-options.tsv: \(words)")
      }
    }
  }

  /// A hint that several options share.
  package func hint(_ name: String) -> String {
    guard let hint = hints[name] else { preconditionFailure("no hint \(name)") }
    return hint
  }

  private func withHint(_ meaning: String) -> String {
    guard let sign = meaning.utf8.firstIndex(of: UInt8(ascii: "@")), meaning[..<sign].hasSuffix("! ") else {
      return meaning
    }
    return meaning[..<sign] + hint(String(meaning[sign...].dropFirst()))
  }

  private mutating func add(_ tool: ForeignTool, names: ArraySlice<UInt8>, onCommandLine: String, inList: String?) {
    for name in names.split(separator: UInt8(ascii: " ")) {
      let parts = name.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      let long = parts[0].prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "[") }
      let argument: ForeignOption.Argument =
        switch parts[0].count - long.count {
        case 0: .nothing
        case 1: .required
        default: .optional
        }
      options.append(
        ForeignOption(
          tool: tool, long: String(decoding: long, as: UTF8.self),
          short: parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil, argument: argument,
          onCommandLine: onCommandLine, inList: inList == "=" ? onCommandLine : inList))
    }
  }
}
