extension Generator {
  private static let usage = """
    Usage: swiftget [OPTIONS] URL...
           swiftget [OPTIONS] -i LIST...
           swiftget --check [OPTIONS] -i LIST...
           swiftget --write-manifest FORMAT [OPTIONS] DIR

    """

  /// `-h`: fits on one screen.
  package static var shortHelp: String {
    let common = OptionTable.options.filter(\.isCommon)
    return """
      \(usage)
      Downloads files whole, verified and fast; run it again after an interruption
      to go on.

      \(rows(common))

      Examples:
        swiftget https://example.org/debian.iso
        swiftget --checksum sha256:HEX https://example.org/debian.iso
        swiftget -d isos -i SHA256SUMS --base-url https://example.org/isos/

      swiftget --help shows all options, man swiftget explains them.

      """
  }

  /// `--help`: every option.
  package static var fullHelp: String {
    var text = usage
    for group in OptionGroup.allCases {
      text += "\n\(group.rawValue):\n" + rows(OptionTable.options.filter { $0.group == group }) + "\n"
    }
    return text + """

      SIZE and RATE are bytes, or with k, M, G, T powers of 1024; TIME is seconds,
      or with s, m, h. Usual options of curl, wget and aria2 are understood.
      man swiftget explains lists, exit statuses and output formats.

      """
  }

  /// The width of the narrowest usual terminal.
  private static let columnCount = 80

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

  private static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }
}
