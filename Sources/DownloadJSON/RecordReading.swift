import DownloadCore

/// Reads files from JSON records of any form, by the paths of `--columns` and `--url-template`.
struct RecordReading: Sendable {
  private let rules: ColumnRules
  /// The paths to what a record may lack that have led to a value in no record yet.
  private var unknownPaths: [[UInt8]] = []
  private var hasRecords = false

  /// - Returns: nil where no option names columns.
  init?(_ rules: ColumnRules) {
    guard rules.choice != nil || rules.template != nil else { return nil }
    self.rules = rules
    unknownPaths = Self.names(Self.optionalColumns(rules))
  }

  /// Requires at the end of the list that each path has led to a value, be it null. A record may lack some, but what no
  /// record has is misspelt.
  func requireKnownPaths() throws(ListProblem) {
    if hasRecords, let path = unknownPaths.first { throw .json(.unknownPath(path)) }
  }

  /// A value by its path: keys with dots between them. A key that equals the rest of the path goes first, because keys
  /// may contain dots.
  static func value(at path: ArraySlice<UInt8>, in object: JSONValue) -> JSONValue? {
    if let value = object[path] { return value }
    guard let dot = path.firstIndex(of: UInt8(ascii: ".")), let value = object[path[..<dot]] else { return nil }
    return Self.value(at: path[(dot + 1)...], in: value)
  }

  /// The keys of a document's object that paths lead beyond. The array of records is the value of one of them; a document
  /// without it is one record.
  var arrays: Set<[UInt8]> {
    Set(
      paths.compactMap { path in
        path.firstIndex(of: UInt8(ascii: ".")).map { Array(path[..<$0]) }
      })
  }

  /// Requires that all paths lead into the array of this key.
  func requirePaths(below key: [UInt8]) throws(ListProblem) {
    for path in paths where !path.starts(with: key + [UInt8(ascii: ".")]) {
      throw .json(.pathOutsideRecords(path, key: key))
    }
  }

  private var paths: [[UInt8]] {
    var columns = [rules.choice?.url].compactMap { $0 } + Self.optionalColumns(rules)
    for part in rules.template?.parts ?? [] { if case .column(let column, _) = part { columns.append(column) } }
    return Self.names(columns)
  }

  private static func optionalColumns(_ rules: ColumnRules) -> [ColumnChoice.Column] {
    guard let choice = rules.choice else { return [] }
    return [choice.out, choice.size].compactMap { $0 } + choice.mirrors + choice.digests.map(\.column)
  }

  private static func names(_ columns: [ColumnChoice.Column]) -> [[UInt8]] {
    columns.compactMap { if case .name(let name) = $0 { name } else { nil } }
  }

  /// Whether a record describes a directory, in the words of Hugging Face (`directory`) or of git (`tree`).
  private static func isDirectory(_ record: JSONValue) -> Bool {
    guard let type = record["type"]?.text else { return false }
    return type == Array("directory".utf8) || type == Array("tree".utf8)
  }

  /// - Parameter key: the key of the records' array, which their paths begin with.
  /// - Returns: nil for a record that describes a directory.
  mutating func entry(_ record: JSONValue, lineNumber: Int, below key: [UInt8]?) throws(ListProblem) -> ManifestEntry? {
    guard record.isObject else { throw .json(.wrongType(key: nil, expected: .object)) }
    if Self.isDirectory(record) { return nil }
    let prefix = key.map { $0 + [UInt8(ascii: ".")] } ?? []
    func inRecord(_ path: [UInt8]) -> JSONValue? {
      Self.value(at: path.starts(with: prefix) ? path[prefix.count...] : path[...], in: record)
    }
    hasRecords = true
    if !unknownPaths.isEmpty { unknownPaths.removeAll { inRecord($0) != nil } }
    func value(_ column: ColumnChoice.Column) throws(ListProblem) -> JSONValue? {
      guard case .name(let path) = column else {
        if case .number(let number) = column { throw .json(.numberedColumn(number)) }
        return nil
      }
      guard let value = inRecord(path), !value.isNull else { return nil }
      return value
    }
    func text(_ column: ColumnChoice.Column) throws(ListProblem) -> [UInt8]? {
      guard let value = try value(column) else { return nil }
      if let integer = value.integer { return Array(String(integer).utf8) }
      guard let text = value.text else { throw .json(.wrongType(key: column.text, expected: .text)) }
      return text
    }

    var entry = ManifestEntry(lineNumber: lineNumber)
    if let url = rules.choice?.url {
      guard let value = try value(url) else { throw .json(.missingKey(url.text)) }
      try FileObject.addURLs(value, rules, to: &entry)
    } else if let template = rules.template {
      var url: [UInt8] = []
      for part in template.parts {
        switch part {
        case .text(let text): url += text
        case .column(let column, let expansion):
          guard let value = try text(column) else { throw .json(.missingKey(column.text)) }
          try URLTemplate.append(value[...], of: column, as: expansion, to: &url)
        }
      }
      try entry.addURL(url[...], rules)
    }
    guard let choice = rules.choice else { return entry }
    for mirror in choice.mirrors {
      if let value = try value(mirror) { try FileObject.addURLs(value, rules, to: &entry) }
    }
    if let out = choice.out, let name = try text(out), !name.isEmpty { entry.out = name }
    if let size = choice.size, let text = try text(size) { try entry.setSize(text[...]) }
    for digest in choice.digests {
      if let text = try text(digest.column) { try entry.addDigest(text[...], digest.algorithm) }
    }
    return entry
  }
}
