import DownloadCore

/// What a person reads of a report that cannot be merged.
enum ReportMessages {
  /// - Parameter name: of the file, as it is shown.
  static func error(_ name: String, _ problem: ReportProblem) -> DownloadError {
    DownloadError(.usage, "the report \(name): \(message(problem))", hint: hint(problem))
  }

  static func message(_ problem: ReportProblem) -> String {
    switch problem {
    case .notReport: "the file is no report of swiftget"
    case .syntax(let syntax): JSONMessages.message(.syntax(syntax))
    case .tooLong: "an item or a member is longer than 4 MiB"
    case .unknownVersion: "its version is not \(ReportText.formatVersion)"
    case .member(let key): "'\(key)' is missing, or not what a report has there"
    case .itemMember(let number, let key): "'\(key)' of item \(number + 1) is missing, or not what a report has there"
    case .itemSyntax(let number, let syntax): "item \(number + 1): \(JSONMessages.message(.syntax(syntax)))"
    case .otherTotals: "its totals do not fit its items"
    }
  }

  static func hint(_ problem: ReportProblem) -> String? {
    switch problem {
    case .syntax(.incomplete): "check that the report is complete"
    case .unknownVersion: "merge it with the version of swiftget that wrote it"
    case .notReport, .syntax, .tooLong, .member, .itemMember, .itemSyntax, .otherTotals:
      "name files that --report has written"
    }
  }
}
