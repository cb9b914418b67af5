/// Which columns of a table make which files, found once from its header.
struct ColumnPlan: Sendable {
  /// Where a file's URL comes from.
  enum URLSource: Sendable {
    /// `isOptional`: an empty field is no file.
    case column(Int, isOptional: Bool)
    /// The parts of a template with the indices of its columns.
    case template([(part: URLTemplate.Part, index: Int)])
    /// A column of lists with `;` between their parts.
    case list(Int)
  }

  /// The columns of one file, or of the files of parallel lists.
  struct Source: Sendable {
    var address: URLSource
    var mirrors: [Int] = []
    var out: Int?
    var size: Int?
    var digests: [(algorithm: DigestAlgorithm, index: Int)] = []
    var namedDigests: [Int] = []
    /// The column with the names of the algorithms of `namedDigests`, which then have none.
    var algorithm: Int?
    var conditions: [(index: Int, value: ColumnChoice.Condition.Wanted)] = []
    /// Whether a size of 0 is an unknown one.
    var zeroSizeIsUnknown = false
  }

  private let header: [[UInt8]]
  private let rules: ColumnRules
  private(set) var sources: [Source] = []
  private var variables: [Int] = []
  /// Whether the first row names columns.
  let hasHeader: Bool

  /// - Throws: where the header does not tell where the files are, or lacks a column that an option names.
  init(firstRow: RowSplitter, _ rules: ColumnRules) throws(ListProblem) {
    var header = (0..<firstRow.count).map { Array(firstRow.field($0)) }
    if header[0].first == UInt8(ascii: "#") { header[0].removeFirst() }
    self.header = header
    self.rules = rules
    let known = KnownColumns(header)
    hasHeader = !rules.hasNumbersOnly || FirstRow(firstRow, rules, known).isHeader
    if let choice = rules.choice {
      sources = [try source(choice, known)]
    } else if let template = rules.template {
      sources = [try source(known, address: address(template))]
    } else if known.isFileReport {
      let groups = known.fileReportColumns
      if groups.isEmpty { throw .table(.asperaOnly) }
      for group in groups {
        var source = Source(address: .list(group.urls), size: group.sizes)
        if let digests = group.digests { source.digests = [(.md5, digests)] }
        sources.append(source)
      }
    } else if let path = known.runPath {
      sources = [Source(address: .column(path, isOptional: true))]
    } else if let url = known.url {
      sources = [try source(known, address: .column(try unambiguous(url, known), isOptional: false))]
    } else {
      throw .table(known.isGDC ? .gdcWithoutTemplate : .noURLColumn(header))
    }
    for column in rules.variables { variables.append(try index(column)) }
  }

  /// Whether the row at hand repeats the header, as in run tables that were joined.
  func isHeader(_ row: RowSplitter) -> Bool {
    hasHeader && row.field(0).elementsEqual(header[0])
      && header.indices.dropFirst().allSatisfy { row.field($0).elementsEqual(header[$0]) }
  }

  // MARK: Columns

  private func source(_ choice: ColumnChoice, _ known: KnownColumns) throws(ListProblem) -> Source {
    var source: Source
    if let url = choice.url {
      let index = try self.index(url)
      source = Source(
        address: known.isFileReportList(index) ? .list(index) : .column(index, isOptional: choice.urlIsOptional))
    } else if let template = rules.template {
      source = Source(address: try address(template))
    } else {
      throw .table(.noURLColumn(header))
    }
    for mirror in choice.mirrors { source.mirrors.append(try index(mirror)) }
    if let out = choice.out { source.out = try index(out) }
    if let size = choice.size { source.size = try index(size) }
    source.zeroSizeIsUnknown = choice.zeroSizeIsUnknown
    for digest in choice.digests { source.digests.append((digest.algorithm, try index(digest.column))) }
    for checksum in choice.checksums { source.namedDigests.append(try index(checksum)) }
    if let algorithm = choice.algorithm { source.algorithm = try index(algorithm) }
    for condition in choice.conditions { source.conditions.append((try index(condition.column), condition.value)) }
    return source
  }

  private func source(_ known: KnownColumns, address: URLSource) throws(ListProblem) -> Source {
    var source = Source(address: address, mirrors: known.mirrors, digests: known.digests)
    source.namedDigests = known.namedDigests
    if let out = known.out { source.out = try unambiguous(out, known) }
    if let size = known.size { source.size = try unambiguous(size, known) }
    return source
  }

  private func unambiguous(_ index: Int, _ known: KnownColumns) throws(ListProblem) -> Int {
    if known.isAmbiguous(index) { throw .table(.ambiguousColumn(header[index])) }
    return index
  }

  private func address(_ template: URLTemplate) throws(ListProblem) -> URLSource {
    var parts: [(part: URLTemplate.Part, index: Int)] = []
    for part in template.parts {
      switch part {
      case .text: parts.append((part, 0))
      case .column(let column, _): parts.append((part, try index(column)))
      }
    }
    return .template(parts)
  }

  /// An exact name goes before one in another case.
  private func index(_ column: ColumnChoice.Column) throws(ListProblem) -> Int {
    switch column {
    case .key: throw .table(.unknownColumn(column.text, header))
    case .number(let number):
      guard number <= header.count else { throw .table(.columnBeyondEnd(number, count: header.count)) }
      return number - 1
    case .name(let name):
      var found = header.indices.filter { header[$0][...].trimmed.elementsEqual(name) }
      if found.isEmpty {
        let folded = name.map(\.lowercased)
        found = header.indices.filter { header[$0][...].trimmed.map(\.lowercased) == folded }
      }
      guard let first = found.first else { throw .table(.unknownColumn(name, header)) }
      if found.count > 1 { throw .table(.ambiguousColumn(name)) }
      return first
    }
  }

  // MARK: Rows

  /// Appends the files of a row.
  ///
  /// - Returns: whether the row is passed over, because of a condition or for lack of a URL.
  /// - Throws: where one of them is invalid; `entries` is unchanged then.
  func append(_ row: RowSplitter, to entries: inout [ListEntry]) throws(ListProblem) -> Bool {
    let count = entries.count
    var isPassed = false
    do throws(ListProblem) {
      for source in sources {
        guard source.conditions.allSatisfy({ $0.value.matches(row.field($0.index).trimmed) }) else {
          isPassed = true
          continue
        }
        if case .list(let urls) = source.address {
          try appendList(urls, source, row, &entries)
        } else if let entry = try entry(source, row) {
          entries.append(entry)
        } else {
          isPassed = true
        }
      }
      if !variables.isEmpty, entries.count > count {
        let values = try self.values(row)
        for index in count..<entries.count { entries[index].variables = values }
      }
    } catch {
      entries.removeSubrange(count...)
      throw error
    }
    return isPassed
  }

  /// The values of variables.
  private func values(_ row: RowSplitter) throws(ListProblem) -> [[UInt8]] {
    var values: [[UInt8]] = []
    for (index, column) in zip(variables, rules.variables) {
      let value = row.field(index).trimmed
      if value.isEmpty { throw .table(.unusableTemplateValue(column.text)) }
      values.append(Array(value))
    }
    return values
  }

  private func entry(_ source: Source, _ row: RowSplitter) throws(ListProblem) -> ListEntry? {
    var entry = ListEntry(lineNumber: row.lineNumber)
    switch source.address {
    case .column(let index, let isOptional):
      let field = row.field(index)
      if isOptional, field.trimmed.isEmpty { return nil }
      try entry.addURL(field, rules)
    case .template(let parts):
      var url: [UInt8] = []
      for (part, index) in parts {
        switch part {
        case .text(let text): url += text
        case .column(let column, let expansion):
          try URLTemplate.append(row.field(index).trimmed, of: column, as: expansion, to: &url)
        }
      }
      try entry.addURL(url[...], rules)
    case .list: return nil
    }
    for index in source.mirrors where !row.field(index).trimmed.isEmpty { try entry.addURL(row.field(index), rules) }
    if let out = source.out, case let name = row.field(out), !name.isEmpty { entry.out = Array(name) }
    if let size = source.size { try entry.setSize(row.field(size)) }
    if source.zeroSizeIsUnknown, entry.size == 0 { entry.size = nil }
    for (algorithm, index) in source.digests { try entry.addDigest(row.field(index), algorithm) }
    for index in source.namedDigests {
      if let algorithm = source.algorithm {
        try entry.addDigest(row.field(index), named: row.field(algorithm))
      } else {
        try entry.addNamedDigest(row.field(index))
      }
    }
    return entry
  }

  // MARK: Parallel lists

  /// Appends one file for each part of the lists. Empty lists say nothing.
  private func appendList(
    _ urls: Int, _ source: Source, _ row: RowSplitter, _ entries: inout [ListEntry]
  ) throws(ListProblem) {
    let addresses = Self.parts(row.field(urls))
    let first = entries.count
    for address in addresses {
      var entry = ListEntry(lineNumber: row.lineNumber)
      let address = address.trimmed
      if !URLScheme.begins(address), !address.isEmpty {
        if address.contains(where: { $0.isControl }) { throw .controlCharacter }
        entry.addName(address, scheme: rules.scheme ?? "https")
      } else {
        try entry.addURL(address, rules)
      }
      entries.append(entry)
    }
    func each(
      _ column: Int, _ body: (inout ListEntry, ArraySlice<UInt8>) throws(ListProblem) -> Void
    ) throws(ListProblem) {
      for (index, part) in try parts(column, row, addresses.count).enumerated() {
        try body(&entries[first + index], part)
      }
    }
    for mirror in source.mirrors {
      try each(mirror) { (entry, part) throws(ListProblem) in try entry.addURL(part, rules) }
    }
    if let out = source.out { try each(out) { if !$1.isEmpty { $0.out = Array($1) } } }
    if let size = source.size { try each(size) { (entry, part) throws(ListProblem) in try entry.setSize(part) } }
    for (algorithm, column) in source.digests {
      try each(column) { (entry, part) throws(ListProblem) in try entry.addDigest(part, algorithm) }
    }
  }

  private func parts(_ index: Int, _ row: RowSplitter, _ expected: Int) throws(ListProblem) -> [ArraySlice<UInt8>] {
    let parts = Self.parts(row.field(index))
    guard parts.isEmpty && expected > 0 || parts.count == expected else {
      throw .table(.listLength(column: header[index], found: parts.count, expected: expected))
    }
    return parts
  }

  /// The parts between semicolons, empty ones too; none of an empty text.
  private static func parts(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let text = text.trimmed
    if text.isEmpty { return [] }
    return text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
  }
}

extension ColumnChoice.Condition.Wanted {
  /// Whether a text is what the condition wants.
  package func matches(_ text: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .text(let wanted): text.elementsEqual(wanted)
    case .some: !text.isEmpty
    case .none: text.isEmpty
    }
  }
}
