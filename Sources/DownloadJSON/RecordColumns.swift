import DownloadCore

/// The paths of `--columns` and `--url-template` in JSON records, each parsed once.
struct RecordColumns: Sendable {
  enum Source: Hashable, Sendable {
    case path(JSONPath)
    /// The key that the last `*` on the way to the record stands for.
    case key
    /// No path.
    case number(Int)

    init(_ column: ColumnChoice.Column) {
      switch column {
      case .number(let number): self = .number(number)
      case .name(let name): self = .path(JSONPath(name))
      case .key: self = .key
      }
    }

    var path: JSONPath? { if case .path(let path) = self { path } else { nil } }
  }

  struct Condition: Sendable {
    let source: Source
    let value: ColumnChoice.Condition.Wanted

    var path: JSONPath? { source.path }
  }

  let rules: ColumnRules
  let url: Source?
  let urlIsOptional: Bool
  let template: URLTemplate?
  let mirrors: [JSONPath]
  let out: Source?
  let size: Source?
  let zeroSizeIsUnknown: Bool
  let digests: [(algorithm: DigestAlgorithm, column: Source)]
  let checksums: [JSONPath]
  let algorithm: JSONPath?
  let conditions: [Condition]
  let variables: [(name: [UInt8], source: Source)]
  /// The first column that is a number, and means nothing in a record.
  let number: Int?
  /// The path to the records.
  let records: JSONPath
  /// All paths.
  let paths: [JSONPath]
  /// Those to what a record may lack.
  let optionalPaths: [JSONPath]
  private let templateSources: [ColumnChoice.Column: Source]

  /// - Returns: nil where no option names columns.
  init?(_ rules: ColumnRules) {
    let choice = rules.choice
    guard choice != nil || rules.template != nil else { return nil }
    self.rules = rules
    url = choice?.url.map(Source.init)
    urlIsOptional = choice?.urlIsOptional ?? false
    template = choice?.url == nil ? rules.template : nil
    mirrors = (choice?.mirrors ?? []).compactMap { Source($0).path }
    out = choice?.out.map(Source.init)
    size = choice?.size.map(Source.init)
    zeroSizeIsUnknown = choice?.zeroSizeIsUnknown ?? false
    digests = (choice?.digests ?? []).map { ($0.algorithm, Source($0.column)) }
    checksums = (choice?.checksums ?? []).compactMap { Source($0).path }
    algorithm = choice?.algorithm.flatMap { Source($0).path }
    conditions = (choice?.conditions ?? []).map { Condition(source: Source($0.column), value: $0.value) }
    optionalPaths = (choice?.optionalColumns ?? []).compactMap { Source($0).path }
    let conditionPaths = conditions.compactMap(\.path)
    let templateColumns = (rules.template?.parts ?? []).compactMap { part -> ColumnChoice.Column? in
      if case .column(let column, _) = part { column } else { nil }
    }
    let others = optionalPaths + conditionPaths
    // Where a path has keys of any name, {key} of a template is one of these.
    let key = ColumnChoice.Column.name(Array("key".utf8))
    let hasAll = (others + (templateColumns + rules.variables).compactMap { Source($0).path }).contains {
      $0.lastAll != nil
    }
    let all = [choice?.url].compactMap { $0 } + templateColumns + (choice?.optionalColumns ?? []) + rules.variables
    number =
      (all + (choice?.conditions ?? []).map(\.column)).lazy.compactMap { column in
        if case .number(let number) = column { number } else { nil as Int? }
      }.first
    templateSources = Dictionary(
      templateColumns.map { ($0, $0 == key && hasAll ? .key : Source($0)) }, uniquingKeysWith: { first, _ in first })
    let addresses =
      [url?.path].compactMap { $0 } + templateColumns.compactMap { [templateSources] in templateSources[$0]?.path }
    variables = rules.variables.map { ($0.text, $0 == key && hasAll ? .key : Source($0)) }
    paths = addresses + others + variables.compactMap(\.source.path)
    if let address = addresses.first {
      records = address.prefix(url == nil ? address.steps.count : address.recordStepCount)
    } else {
      // The records are the values that have the keys.
      let path = others.first { $0.lastAll != nil }
      records = path.map { $0.prefix($0.lastAll ?? 0) } ?? JSONPath([[UInt8]]())
    }
  }

  func source(inTemplate column: ColumnChoice.Column) -> Source { templateSources[column] ?? Source(column) }
}
