package import DownloadCore

/// Finds options of curl, wget and aria2 by their full names.
package enum ForeignOptions {
  package static let all = ForeignTable.shared.options

  private static let byLong = Dictionary(grouping: all, by: \.long)
  private static let byShort = Dictionary(grouping: all.filter { $0.short != nil }) { $0.short ?? "" }

  /// Letters that are usual in one tool (curl's `-fsSLO`, `-LOR` and `-b FILE`), and mean something rare to the others,
  /// or what is of no use here.
  private static let owners: [String: ForeignTool] = [
    "L": .curl, "M": .aria2, "R": .curl, "S": .curl, "Z": .curl, "a": .wget, "b": .curl, "l": .aria2, "s": .curl,
  ]

  /// The letters that may stand beside `-O` in a bundle of curl; other text behind it is wget's name of a file.
  static let curlFlags = Set("fgJLRsSvZ".utf8)

  /// What a long option means. Tools that share a name share its meaning, in one of them with an optional argument.
  static func named(_ long: String) -> ForeignOption? {
    guard let rows = byLong[long] else { return negated(long) }
    return rows.first { $0.argument == .optional } ?? rows.first
  }

  /// The tools that have this option, `curl and wget`.
  static func tools(of option: ForeignOption) -> String {
    let rows = byLong[option.long] ?? [option]
    return ForeignTool.allCases.filter { tool in rows.contains { $0.tool == tool } }.map(\.rawValue)
      .joined(separator: " and ")
  }

  enum Letter {
    case option(ForeignOption)
    /// It means different things to different tools.
    case ambiguous([ForeignOption])
  }

  /// - Parameter short: one character, or wget's `n` and another one.
  static func lettered(_ short: String) -> Letter? {
    guard let rows = byShort[short], let first = rows.first else { return nil }
    if let owner = owners[short], let row = rows.first(where: { $0.tool == owner }) { return .option(row) }
    return rows.allSatisfy { $0.meaning == first.meaning } ? .option(first) : .ambiguous(rows)
  }

  /// curl has `--no-NAME` for each of its flags.
  private static func negated(_ long: String) -> ForeignOption? {
    guard long.hasPrefix("no-"), let rows = byLong[String(long.dropFirst(3))],
      let row = rows.first(where: { $0.tool == .curl && $0.argument == .nothing })
    else { return nil }
    let meaning =
      switch row.meaning {
      case .refused: "-"
      case .nothing: "! leave it out; swiftget cannot turn off --\(row.long)"
      default: "! leave out this option and --\(row.long)"
      }
    return ForeignOption(tool: .curl, long: long, short: nil, argument: .nothing, onCommandLine: meaning)
  }
}
