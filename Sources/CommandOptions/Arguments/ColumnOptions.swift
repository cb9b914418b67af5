package import DownloadCore

extension ColumnRules {
  /// Formats that have columns.
  private static let formats: Set<String> = ["tsv", "csv", "fields", "json", "jsonl"]

  /// What is wrong with the rules as a whole, and what to do.
  ///
  /// - Parameter inputFormat: that the user names.
  package func problem(inputFormat: String?) -> (message: String, hint: String)? {
    guard choice != nil || template != nil else { return nil }
    if let choice, choice.url == nil, template == nil {
      return ("--columns: no column of URLs", "add url=COLUMN, or make URLs with --url-template")
    }
    if choice?.url != nil, template != nil {
      return ("--columns: url= contradicts --url-template", "leave out one of the two")
    }
    guard let inputFormat, !Self.formats.contains(inputFormat) else { return nil }
    let option = choice == nil ? "--url-template" : "--columns"
    return ("\(option): lists of the format \(inputFormat) have no columns", "leave out this option or --input-format")
  }
}

extension OptionArgument {
  func columns() throws(Failure) -> ColumnChoice {
    let text = try nonEmpty()
    do { return try ColumnChoice(text: text) } catch { throw refused(error) }
  }

  private func refused(_ fault: ColumnChoice.Fault) -> Failure {
    let algorithms = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
    return switch fault {
    case .incomplete(let text):
      part(text).refused("is not of the form KEY=COLUMN", hint: "such as url=link,md5=checksum,out=name")
    case .unknownKey(let text):
      part(text).refused("is a checksum that swiftget does not compute", hint: "known algorithms: \(algorithms)")
    case .repeatedKey(let text): part(text).refused("is given twice", hint: "only mirror= may be repeated")
    case .invalidNumber(let text): part(text).refused("is not a column", hint: "columns are counted from 1")
    case .algorithmWithoutChecksum:
      refused("has algorithm=, but no checksum=", hint: "such as checksum=digest.value,algorithm=digest.type")
    }
  }

  func urlTemplate() throws(Failure) -> URLTemplate {
    let text = try nonEmpty()
    do { return try URLTemplate(text: text) } catch {
      let hint = "such as 'https://example.org/data/{id}', with the name of a column in braces"
      switch error {
      case .notURL: throw refused("is not the template of a URL", hint: hint)
      case .unpairedBrace: throw refused("has a brace without its counterpart", hint: hint)
      case .noColumn: throw refused("names no column", hint: hint)
      case .invalidColumn(let name): throw part(name).refused("is not a column", hint: hint)
      }
    }
  }

  /// A part of the argument.
  func part(_ bytes: [UInt8]) -> OptionArgument { OptionArgument(spelling: spelling, bytes: bytes) }
}
