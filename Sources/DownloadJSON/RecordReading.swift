import DownloadCore

/// Reads files from JSON records of any form, by the paths of `--columns` and `--url-template`.
///
/// The path of the URL leads to the records: each array on its way, and each `*`, has one for each of its values. Other
/// paths lead to values of the same record, or of what stands around it, as far as they begin alike.
struct RecordReading: Sendable {
  private let columns: RecordColumns
  /// The paths to what a record may lack that have led to a value in no record yet.
  private var unknownPaths: [JSONPath]
  private var unknownConditions: [JSONPath]
  private var hasRecords = false
  private var hasFiles = false
  /// The number of records that are no files.
  private(set) var passedCount = 0

  /// What was read, the next one first.
  typealias Found = [Result<ListEntry, ListError>]

  /// - Returns: nil where no option names columns.
  init?(_ rules: ColumnRules) {
    guard let columns = RecordColumns(rules) else { return nil }
    self.columns = columns
    unknownPaths = columns.optionalPaths
    unknownConditions = columns.conditions.filter { $0.value != .none }.compactMap(\.path)
  }

  /// The path to the records.
  var records: JSONPath { columns.records }

  /// Requires at the end of the list that each path has led to a value, be it null. A record may lack some, but what no
  /// record has is misspelt.
  func requireKnownPaths() throws(ListProblem) {
    let unknown = hasRecords ? unknownConditions.first ?? (hasFiles ? unknownPaths.first : nil) : nil
    if let path = unknown { throw .json(.unknownPath(path.text)) }
  }

  /// Whether a document whose records stand where the first steps of their path lead need not be held whole, for all paths
  /// begin with these.
  func areBelow(_ stepCount: Int) -> Bool {
    columns.paths.allSatisfy { $0.begins(with: columns.records, stepCount) }
  }

  // MARK: The way to the records

  /// Where a record is.
  private struct Place {
    let lineNumber: Int
    /// The values on the way, by the number of steps that lead to them.
    var values: [JSONValue?]
    var stepCount: Int
    /// The number of steps to the value of the last array or object that has several records.
    var split: Int
    /// The last key that `*` stands for.
    var key: [UInt8]?
  }

  /// Reads the records of a value.
  ///
  /// - Parameters:
  ///   - stepCount: the number of steps of the records' path that lead to the value.
  ///   - key: that `*` stands for, if that is the last step.
  ///   - isElement: whether the value is one of several.
  mutating func read(
    _ value: JSONValue, at stepCount: Int, key: [UInt8]? = nil, isElement: Bool, lineNumber: Int,
    into found: inout Found
  ) {
    let values = [JSONValue?](repeating: nil, count: columns.records.steps.count + 1)
    let place = Place(
      lineNumber: lineNumber, values: values, stepCount: stepCount, split: isElement ? stepCount : 0, key: key)
    visit(value, place, into: &found)
  }

  private mutating func visit(_ value: JSONValue, _ place: Place, into found: inout Found) {
    var place = place
    let path = columns.records
    place.values[place.stepCount] = value
    guard place.stepCount < path.steps.count else { return add(place, into: &found) }
    let isAll = path.steps[place.stepCount] == .all
    if let elements = value.elements {
      if isAll { place.stepCount += 1 }
      place.split = place.stepCount
      for element in elements { visit(element, place, into: &found) }
    } else if isAll {
      if value.isNull { return }
      guard value.isObject else { return refuse(.json(.wrongType(key: path.text, expected: .object)), place, &found) }
      place.stepCount += 1
      place.split = place.stepCount
      for (key, member) in value.members {
        place.key = key
        visit(member, place, into: &found)
      }
    } else if value.isObject {
      guard let (member, next, isGathered) = path.value(in: value, from: place.stepCount) else {
        return add(place, into: &found)
      }
      place.stepCount = next
      if isGathered {
        place.values[next] = member
        add(place, into: &found)
      } else {
        visit(member, place, into: &found)
      }
    } else if value.isNull, place.stepCount > place.split {
      add(place, into: &found)
    } else {
      refuse(.json(.wrongType(key: nil, expected: .object)), place, &found)
    }
  }

  private func refuse(_ problem: ListProblem, _ place: Place, _ found: inout Found) {
    found.append(.failure(ListError(lineNumber: place.lineNumber, problem)))
  }

  // MARK: A record

  private mutating func add(_ place: Place, into found: inout Found) {
    do throws(ListProblem) {
      if let number = columns.number { throw .json(.numberedColumn(number)) }
      guard try isFile(place), let entry = try entry(place) else {
        passedCount += 1
        return
      }
      found.append(.success(entry))
    } catch {
      refuse(error, place, &found)
    }
  }

  /// Whether the record does not describe a directory, in the words of Hugging Face (`directory`) or of git (`tree`), and
  /// all conditions hold.
  private mutating func isFile(_ place: Place) throws(ListProblem) -> Bool {
    if let type = place.values[place.split]?["type"]?.text,
      ["directory", "tree"].contains(where: { type.elementsEqual($0.utf8) })
    {
      return false
    }
    var isFile = true
    hasRecords = true
    for condition in columns.conditions {
      let texts: [[UInt8]]
      if let path = condition.path {
        let values = try values(path, place)
        if !values.isEmpty { unknownConditions.removeAll { $0 == path } }
        texts = values.flatMap { value in value.elements.map(Array.init) ?? [value] }.compactMap(\.shown)
      } else {
        texts = try self.texts(condition.source, place)
      }
      let matches =
        condition.value == .none ? texts.allSatisfy(\.isEmpty) : texts.contains { condition.value.matches($0[...]) }
      if !matches { isFile = false }
    }
    return isFile
  }

  /// - Returns: nil for a record without a URL that may lack one.
  private mutating func entry(_ place: Place) throws(ListProblem) -> ListEntry? {
    var entry = ListEntry(lineNumber: place.lineNumber)
    guard try addURL(place, to: &entry) else { return nil }
    hasFiles = true
    if !unknownPaths.isEmpty {
      var isFound: [Bool] = []
      // What is wrong with a path that leads elsewhere is told below.
      for path in unknownPaths { isFound.append((try? values(path, place).isEmpty) != true) }
      unknownPaths = zip(unknownPaths, isFound).filter { !$0.1 }.map(\.0)
    }
    for mirror in columns.mirrors {
      for value in try values(mirror, place) where !value.isNull {
        try FileObject.addURLs(value, columns.rules, to: &entry)
      }
    }
    if let name = try text(columns.out, place), !name.isEmpty { entry.out = name }
    if let text = try text(columns.size, place) { try entry.setSize(text[...]) }
    if columns.zeroSizeIsUnknown, entry.size == 0 { entry.size = nil }
    for (algorithm, column) in columns.digests {
      for text in try texts(column, place) { try entry.addDigest(text[...], algorithm) }
    }
    for (name, source) in columns.variables {
      guard let value = try text(source, place), !value.isEmpty else { throw .json(.missingKey(name)) }
      entry.variables.append(value)
    }
    for checksum in columns.checksums { try addChecksums(checksum, place, to: &entry) }
    return entry
  }

  /// - Returns: false for a record without a URL that may lack one.
  private func addURL(_ place: Place, to entry: inout ListEntry) throws(ListProblem) -> Bool {
    guard let template = columns.template else {
      if columns.url == .key {
        guard let key = place.key else { throw .json(.noKeys) }
        try entry.addURL(key[...], columns.rules)
        return true
      }
      guard case .path(let path) = columns.url else { return false }
      let values = try values(path, place).filter { !$0.isNull }
      if values.isEmpty {
        if columns.urlIsOptional { return false }
        throw .json(.missingKey(path.text))
      }
      for value in values { try FileObject.addURLs(value, columns.rules, to: &entry) }
      return true
    }
    var url: [UInt8] = []
    for part in template.parts {
      switch part {
      case .text(let text): url += text
      case .column(let column, let expansion):
        guard let value = try text(columns.source(inTemplate: column), place) else {
          throw .json(.missingKey(column.text))
        }
        try URLTemplate.append(value[...], of: column, as: expansion, to: &url)
      }
    }
    try entry.addURL(url[...], columns.rules)
    return true
  }

  /// Digests whose algorithm stands beside them, or that name it. Those of unknown algorithms count for nothing beside
  /// others.
  private func addChecksums(_ path: JSONPath, _ place: Place, to entry: inout ListEntry) throws(ListProblem) {
    var unknown: [UInt8]?
    let before = entry.digests.count
    if let algorithm = columns.algorithm {
      let common = path.commonStepCount(with: algorithm)
      for container in try values(path.prefix(common), place).flatMap({ $0.elements.map(Array.init) ?? [$0] }) {
        var digests: [JSONValue] = []
        var names: [JSONValue] = []
        var isSplit = false
        path.collect(container, from: common, into: &digests, isSplit: &isSplit)
        algorithm.collect(container, from: common, into: &names, isSplit: &isSplit)
        let texts = try Self.texts(digests, path)
        if texts.allSatisfy(\.isEmpty) { continue }
        guard names.count == 1, let name = names[0].text else { throw .json(.noAlgorithm(algorithm.text)) }
        for text in texts {
          do throws(ListProblem) { try entry.addDigest(text[...], named: name[...]) } catch {
            guard case .unknownAlgorithm = error else { throw error }
            unknown = unknown ?? name
          }
        }
      }
    } else {
      for text in try Self.texts(values(path, place), path) {
        do throws(ListProblem) { try entry.addNamedDigest(text[...]) } catch {
          guard case .unknownAlgorithm(let name) = error else { throw error }
          unknown = unknown ?? name
        }
      }
    }
    if let unknown, entry.digests.count == before { throw .unknownAlgorithm(unknown) }
  }

  // MARK: Values of a record

  /// The values where a path leads, from what it has in common with the records' path.
  private func values(_ path: JSONPath, _ place: Place) throws(ListProblem) -> [JSONValue] {
    var start = min(path.commonStepCount(with: columns.records), place.stepCount)
    let isOutside = start < place.split
    while start > 0, place.values[start] == nil { start -= 1 }
    guard let value = place.values[start] else { return [] }
    var values: [JSONValue] = []
    var isSplit = false
    path.collect(value, from: start, into: &values, isSplit: &isSplit)
    if isSplit, isOutside {
      throw .json(.pathOutsideRecords(path.text, key: columns.records.text))
    }
    return values
  }

  private func texts(_ source: RecordColumns.Source, _ place: Place) throws(ListProblem) -> [[UInt8]] {
    switch source {
    case .number(let number): throw .json(.numberedColumn(number))
    case .key:
      guard let key = place.key else { throw .json(.noKeys) }
      return [key]
    case .path(let path): return try Self.texts(values(path, place), path)
    }
  }

  private func text(_ source: RecordColumns.Source?, _ place: Place) throws(ListProblem) -> [UInt8]? {
    guard let source else { return nil }
    guard case .path(let path) = source else { return try texts(source, place).first }
    let values = try values(path, place)
    if values.count > 1 { throw .json(.severalValues(path.text)) }
    guard let value = values.first, !value.isNull else { return nil }
    if value.elements != nil { throw .json(.wrongType(key: path.text, expected: .text)) }
    return try Self.texts([value], path).first
  }

  /// Texts and whole numbers, those in arrays too. Null is none.
  private static func texts(_ values: [JSONValue], _ path: JSONPath) throws(ListProblem) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    for value in values.flatMap({ $0.elements.map(Array.init) ?? [$0] }) where !value.isNull {
      guard let text = value.integer.map({ Array(String($0).utf8) }) ?? value.text else {
        throw .json(.wrongType(key: path.text, expected: .text))
      }
      texts.append(text)
    }
    return texts
  }
}

extension JSONValue {
  /// A text, a whole number, `true` or `false` as conditions name them; `{}` for what has no such text, and nil for null.
  fileprivate var shown: [UInt8]? {
    if isNull { return nil }
    if let boolean { return Array(String(boolean).utf8) }
    return integer.map { Array(String($0).utf8) } ?? text ?? Array("{}".utf8)
  }
}
