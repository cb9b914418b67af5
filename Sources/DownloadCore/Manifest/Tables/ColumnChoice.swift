/// The columns of a table, or the values of a JSON record, that describe a file: the value of `--columns`.
///
///     choice = pair *( "," pair )
///     pair   = ( "url" / "mirror" / "out" / "size" / algorithm ) "=" column
///
/// Only `mirror` may be given several times.
package struct ColumnChoice: Hashable, Sendable {
  package enum Column: Hashable, Sendable {
    /// Counted from 1.
    case number(Int)
    /// The name in the header of a table, or a path in a JSON record: names with dots between them.
    case name([UInt8])

    /// Digits only are a number; nil for an empty text, 0 and numbers that are too large.
    init?(_ text: ArraySlice<UInt8>) {
      guard !text.isEmpty else { return nil }
      guard text.allSatisfy(\.isDigit) else {
        self = .name(Array(text))
        return
      }
      guard let number = Int64(digits: text), (1...100_000).contains(number) else { return nil }
      self = .number(Int(number))
    }
  }

  package struct DigestColumn: Hashable, Sendable {
    package let algorithm: DigestAlgorithm
    package let column: Column
  }

  /// Why a text is not a choice. Texts are parts of the argument.
  package enum Fault: Error, Hashable, Sendable {
    /// Not of the form `key=column`, or without a column.
    case incomplete([UInt8])
    case unknownKey([UInt8])
    case repeatedKey([UInt8])
    /// Columns are counted from 1.
    case invalidNumber([UInt8])
  }

  /// Nil where a template makes the URL.
  package private(set) var url: Column?
  package private(set) var mirrors: [Column] = []
  package private(set) var out: Column?
  package private(set) var size: Column?
  /// At most one for each algorithm.
  package private(set) var digests: [DigestColumn] = []

  package init(text: [UInt8]) throws(Fault) {
    for pair in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals > pair.startIndex else {
        throw .incomplete(Array(pair))
      }
      let key = pair[..<equals].trimmed
      let value = pair[(equals + 1)...].trimmed
      if value.isEmpty { throw .incomplete(Array(pair)) }
      guard let column = Column(value) else { throw .invalidNumber(Array(value)) }
      try set(key, column)
    }
  }

  private mutating func set(_ key: ArraySlice<UInt8>, _ column: Column) throws(Fault) {
    let name = key.loweredPrintable
    let isNew: Bool
    switch name {
    case "url":
      isNew = url == nil
      url = column
    case "mirror":
      isNew = true
      mirrors.append(column)
    case "out":
      isNew = out == nil
      out = column
    case "size":
      isNew = size == nil
      size = column
    default:
      guard let algorithm = DigestAlgorithm(name: name) else { throw .unknownKey(Array(key)) }
      isNew = !digests.contains { $0.algorithm == algorithm }
      digests.append(DigestColumn(algorithm: algorithm, column: column))
    }
    if !isNew { throw .repeatedKey(Array(key)) }
  }

  /// Whether all columns are numbers, so that a table needs no header.
  var hasNumbersOnly: Bool {
    ([url, out, size].compactMap { $0 } + mirrors + digests.map(\.column)).allSatisfy {
      if case .number = $0 { true } else { false }
    }
  }
}
