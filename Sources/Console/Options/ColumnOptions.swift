import DownloadCore

/// `--columns` and `--url-template`: their arguments, and what they must not be combined with.
enum ColumnOptions {
  /// Formats that have columns.
  private static let formats: Set<String> = ["tsv", "csv", "json", "jsonl"]

  static func errors(_ invocation: Invocation) -> [DownloadError] {
    let columns = invocation.columns
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if let choice = columns.choice {
      if choice.url == nil, columns.template == nil {
        add("--columns: no column of URLs", hint: "add url=COLUMN, or make URLs with --url-template")
      }
      if choice.url != nil, columns.template != nil {
        add("--columns: url= contradicts --url-template", hint: "leave out one of the two")
      }
    }
    if columns.choice != nil || columns.template != nil, let format = invocation.inputFormat,
      !formats.contains(format)
    {
      let option = columns.choice == nil ? "--url-template" : "--columns"
      add("\(option): lists of the format \(format) have no columns", hint: "leave out this option or --input-format")
    }
    return errors
  }
}

extension OptionArgument {
  func columns() throws(DownloadError) -> ColumnChoice {
    let text = try nonEmpty()
    do { return try ColumnChoice(text: text) } catch { throw refused(error) }
  }

  private func refused(_ fault: ColumnChoice.Fault) -> DownloadError {
    let algorithms = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
    return switch fault {
    case .incomplete(let text):
      part(text).refused("is not of the form KEY=COLUMN", hint: "such as url=link,md5=checksum,out=name")
    case .unknownKey(let text):
      part(text).refused("is not a key", hint: "the keys are url, mirror, out, size, \(algorithms)")
    case .repeatedKey(let text): part(text).refused("is given twice", hint: "only mirror= may be repeated")
    case .invalidNumber(let text): part(text).refused("is not a column", hint: "columns are counted from 1")
    }
  }

  func urlTemplate() throws(DownloadError) -> URLTemplate {
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

  private func part(_ bytes: [UInt8]) -> OptionArgument {
    OptionArgument(spelling: spelling, bytes: bytes, isGiven: true)
  }
}
