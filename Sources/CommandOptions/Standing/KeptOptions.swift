package import DownloadCore
internal import DownloadLists

/// The text in which a session keeps options: lines of a configuration file.
package enum KeptOptions {
  private static let heading =
    "# What 'swiftget serve' and 'swiftget -S' were given for this session. They change it, and so does 'ctl set @session'."

  static func text(of lines: [[UInt8]]) -> [UInt8] {
    ([Array(heading.utf8)] + lines).flatMap { $0 + [UInt8(ascii: "\n")] }
  }

  /// Whether a session keeps an option with this name. An underscore is a hyphen.
  package static func has(_ name: String) -> Bool { spec(name)?.scope == .session }

  /// Changes an option (`ctl set @session`).
  ///
  /// - Parameters:
  ///   - text: what the session keeps.
  ///   - name: of an option that `has` knows.
  ///   - value: without one the session keeps the option no more.
  ///   - isFurther: whether the option keeps the values that it has, too.
  /// - Throws: a usage error for a value that is wrong.
  package static func text(
    _ text: [UInt8], setting name: String, to value: String, isFurther: Bool
  ) throws(Failure) -> [UInt8] {
    let id = spec(name)?.id
    var lines = text.split(separator: UInt8(ascii: "\n")).map { Array($0) }.filter { line in
      let name = Array(line.prefix { $0 != UInt8(ascii: "=") }).trimmed
      if line.first == UInt8(ascii: "#") { return false }
      return isFurther || spec(String(decoding: name, as: UTF8.self))?.id != id
    }
    if !value.isEmpty, let line = try finding(name, value)?.ofSession()?.line { lines.append(line) }
    return Self.text(of: lines)
  }

  private static func finding(_ name: String, _ value: String) throws(Failure) -> OptionFinding? {
    let line = Array("\(hyphenated(name)) = \(value)".utf8)
    guard let finding = ConfigurationParser.option(line, "set @session", isOfHost: false) else { return nil }
    var builder = InvocationBuilder(.process)
    var errors: [Failure] = []
    builder.take(finding, &errors)
    if let error = errors.first { throw error }
    return finding
  }

  private static func spec(_ name: String) -> OptionSpec? {
    let name = hyphenated(name)
    return OptionTable.options.first { $0.longs.contains(name) } ?? OptionTable.negations[name]
  }

  private static func hyphenated(_ name: String) -> String { String(name.map { $0 == "_" ? "-" : $0 }) }
}
