package import DownloadCore
package import DownloadWords

extension Vocabulary {
  /// The options, by their long names, but for three that everybody knows by their letters.
  package static let command = Vocabulary { setting, value in
    let spec = OptionTable.spec(setting.option)
    let letter = [.dir, .inputFile, .output].contains(setting) ? spec.short : nil
    let name = letter.map { "-\($0)" } ?? spec.id.name
    return value.map { "\(name) \($0)" } ?? name
  }

  /// All of them by their long names.
  static let longOptions = Vocabulary { setting, _ in setting.option.name }
}

extension Setting {
  package var option: OptionID {
    guard let option = OptionID(rawValue: rawValue) else { preconditionFailure("no option \(self)") }
    return option
  }
}

// What the command shows.

extension Failure {
  /// Not redacted.
  package var message: String { message(in: .command) }

  /// What the user can do. Not redacted.
  ///
  /// - Parameter isSaved: whether a part file is left from which the next run goes on.
  package func hint(isSaved: Bool = false) -> String? { advice(isSaved: isSaved)?.text(in: .command) }
}

extension Diagnostic {
  /// One line, or two with the hint.
  package var text: String { text(in: .command) }
}

extension UsageErrors {
  /// A line for each error, and each hint once.
  package var text: String { text(in: .command) }
}

extension NoticeMessages {
  /// Not redacted.
  package static func text(_ remark: Remark) -> String { text(remark, in: .command) }
}
