package import CommandOptions

extension Generator {
  /// `--help NAME`: all that the manual says of one option.
  package static func help(on id: OptionID) -> String {
    let spec = OptionTable.spec(id)
    let shown = spec.usage.split { " ,[".contains($0) }
    let others = spec.spellings.filter { name in !shown.contains { $0 == name } }
    var detail = MarkedText(spec.detail).plain
    if !others.isEmpty { detail += " Also \(others.joined(separator: ", "))." }
    if let text = spec.defaultText, !text.isEmpty { detail += " The default is \(text)." }
    let lines = wrapped(detail, width: columnCount - indent.utf8.count).map { indent + $0 }
    let examples = spec.example.split(separator: "\n").map { indent + $0 }
    return spec.usage.drop(while: { $0 == " " }) + "\n"
      + lines.joined(separator: "\n") + "\n\nExample:\n" + examples.joined(separator: "\n") + "\n"
  }

  private static let indent = "    "
}
