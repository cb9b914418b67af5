package import CommandOptions
internal import DownloadLists

extension Generator {
  private static let usage = """
    Usage: swiftget [OPTIONS] URL...
           swiftget [OPTIONS] -i LIST...
           swiftget check [OPTIONS] -i LIST...
           swiftget manifest FORMAT [OPTIONS] DIR
           swiftget serve [OPTIONS] [-S NAME]
           swiftget ctl [-S NAME] VERB [SELECTOR...]

    """

  /// `-h`: fits on one screen.
  package static var shortHelp: String {
    let common = OptionTable.shown.filter(\.isCommon)
    return """
      \(usage)
      Downloads files whole, verified and fast. After an interruption, run the same
      command again to continue.

      \(rows(common))

      Examples:
        swiftget https://example.org/debian.iso
        swiftget --checksum sha256:HEX https://example.org/debian.iso
        swiftget -d isos -i SHA256SUMS --base-url https://example.org/isos/

      swiftget --help shows all options, swiftget check --help those of a verb;
      man swiftget and man swiftget-guide explain them.

      """
  }

  package static func help(for subject: HelpSubject) -> String {
    switch subject {
    case .options: usage + sections(OptionTable.shown) + notes
    case .verb(let verb): help(for: verb)
    case .lists: ListsPage.text
    }
  }

  /// The options that mean something to the verb.
  private static func help(for verb: VerbSpec) -> String {
    let text =
      "Usage: swiftget \(verb.usage)\n\n" + wrapped(verb.summary, width: columnCount).joined(separator: "\n") + "\n"
    guard let work = verb.work else { return text }
    let choices = Set(FileWork.allCases.compactMap(\.option) + [.generate])
    var options = OptionTable.shown.filter { $0.verbs.contains(work) && !choices.contains($0.id) }
    if let own = work.option?.name {
      for index in options.indices { options[index].summary = unconditional(options[index].summary, "With \(own)") }
    }
    return text + sections(options) + notes
  }

  /// The summary without this at its start, which the verb says.
  private static func unconditional(_ summary: String, _ condition: String) -> String {
    guard summary.hasPrefix(condition) else { return summary }
    let rest = summary.dropFirst(condition.count).drop { $0 == ":" || $0 == " " }
    return rest.prefix(1).uppercased() + rest.dropFirst()
  }

  private static func sections(_ options: [OptionSpec]) -> String {
    OptionGroup.allCases.compactMap { group in
      let own = options.filter { $0.group == group }
      return own.isEmpty ? nil : "\n\(group.rawValue):\n" + rows(own) + "\n"
    }.joined()
  }

  private static var notes: String {
    """

    SIZE and RATE are bytes, or with k, M, G, T powers of 1024; TIME is seconds,
    or with s, m, h. Usual options of curl, wget and aria2 are understood.
    swiftget --help NAME explains one option, and swiftget help lists shows the
    formats of lists. man swiftget explains exit statuses, man swiftget-guide
    decisions and configuration, man swiftget-output messages and JSON.

    """
  }

  /// The width of the narrowest usual terminal.
  static let columnCount = 80

  private static func rows(_ options: [OptionSpec]) -> String {
    let column = 30
    return options.map { spec in
      let usage = "  " + spec.usage
      var summary = spec.summary
      if let text = spec.defaultText, !["", "0", "."].contains(text) { summary += " (\(text))" }
      let indent = String(repeating: " ", count: column)
      let lines = wrapped(summary, width: columnCount - column).joined(separator: "\n" + indent)
      if usage.utf8.count > column - 2 { return usage + "\n" + indent + lines }
      return usage + indent.dropFirst(usage.utf8.count) + lines
    }.joined(separator: "\n")
  }

  static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }
}
