/// The texts of `swiftget ctl --help`.
package enum ControlHelp {
  /// - Parameter name: of a verb; nil for all of them.
  package static func text(_ name: ControlVerb.VerbName?) -> String {
    guard let verb = name.map(ControlVerb.named) else { return overview }
    var lines = ["Usage: swiftget \(verb.usage)", "", verb.summary]
    lines += verb.details
    lines += ["", "Options:"] + rows(options(of: verb).map { (heading($0), $0.summary) })
    if verb.operands == .files { lines += ["", "More options: swiftget --help."] }
    if verb.operands.areSelectors { lines += ["", selectors] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static var overview: String {
    let verbs = rows(ControlVerb.all.map { ($0.name.rawValue, $0.summary) })
    let options = rows(ControlOption.common.map { (heading($0), $0.summary) })
    return
      ([
        "Usage: swiftget ctl [-S NAME] VERB [SELECTOR...]", "", "Steers a named session, whoever works on it.", "",
        "Verbs:",
      ]
      + verbs + ["", "Options:"] + options
      + ["", selectors, "", "swiftget ctl VERB --help has the options of a verb, swiftget-ctl(1) everything."])
      .joined(separator: "\n") + "\n"
  }

  private static func options(of verb: ControlVerb) -> [ControlOption] { verb.options + ControlOption.common }

  private static func heading(_ option: ControlOption) -> String {
    let names = [option.short, option.name].compactMap(\.self).joined(separator: ", ")
    switch option.argument {
    case .nothing: return names
    case .required(let argument): return "\(names) \(argument)"
    case .optional(let argument): return "\(names)[=\(argument)]"
    }
  }

  private static func rows(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
  }

  private static let selectors = """
    Selectors:
      12, 0017a3…    a task by its number or id        state:failed   by state
      name, *.iso    by the file's name                error:9        by exit status or name of an error
      ./dir/file     by its path; patterns, too        host:NAME      by host
      https://…      by URL                            group:NAME, key:KEY
      @all           all                               -              ids on standard input
    Terms of one kind are alternatives; those of different kinds must all hold.
    """
}
