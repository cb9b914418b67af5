/// The columns of a table, or the values of a JSON record, that describe a file: the value of `--columns`.
///
///     choice    = pair *( "," pair )
///     pair      = key "=" column / condition
///     key       = "url" / "mirror" / "out" / "size" / "checksum" / "algorithm" / algorithm
///     condition = column "=" ( text / "*" / "" )
///
/// Only `mirror`, `checksum` and conditions may be given several times. A `?` behind the column of `url` or `size` says that
/// it may be missing.
package struct ColumnChoice: Hashable, Sendable {
  package enum Column: Hashable, Sendable {
    /// Counted from 1.
    case number(Int)
    /// The name in the header of a table, or a path in a JSON record: names with dots between them.
    case name([UInt8])
    /// The key of a JSON record that stands in an object with names as keys: `{key}`.
    case key

    /// Digits only are a number; nil for an empty text, 0 and numbers that are too large.
    package init?(_ text: ArraySlice<UInt8>) {
      guard !text.isEmpty else { return nil }
      if text.elementsEqual("{key}".utf8) {
        self = .key
        return
      }
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

  /// What a row or a record must have to be a file. Others are passed over.
  package struct Condition: Hashable, Sendable {
    package enum Wanted: Hashable, Sendable {
      /// Exactly this text.
      case text([UInt8])
      /// Anything.
      case some
      /// Nothing.
      case none
    }

    package let column: Column
    package let value: Wanted
  }

  /// Why a text is not a choice. Texts are parts of the argument.
  package enum Fault: Error, Hashable, Sendable {
    /// Not of the form `key=column`, or without a column.
    case incomplete([UInt8])
    /// An algorithm that swiftget does not compute.
    case unknownKey([UInt8])
    case repeatedKey([UInt8])
    /// Columns are counted from 1.
    case invalidNumber([UInt8])
    /// `algorithm` without the `checksum` that it is of.
    case algorithmWithoutChecksum
  }

  /// Nil where a template makes the URL.
  package private(set) var url: Column?
  /// Whether rows without a URL are passed over.
  package private(set) var urlIsOptional = false
  package private(set) var mirrors: [Column] = []
  package private(set) var out: Column?
  package private(set) var size: Column?
  /// Whether a size of 0 is an unknown one.
  package private(set) var zeroSizeIsUnknown = false
  /// At most one for each algorithm.
  package private(set) var digests: [DigestColumn] = []
  /// Columns of digests that name their algorithms, or have them in the column `algorithm`.
  package private(set) var checksums: [Column] = []
  /// The names of the algorithms of `checksums`.
  package private(set) var algorithm: Column?
  /// All of them must hold.
  package private(set) var conditions: [Condition] = []

  package init(text: [UInt8]) throws(Fault) {
    for pair in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals > pair.startIndex else {
        throw .incomplete(Array(pair))
      }
      let key = pair[..<equals].trimmed
      let value = pair[(equals + 1)...].trimmed
      if try setCondition(key, value) { continue }
      if value.isEmpty { throw .incomplete(Array(pair)) }
      try set(key, value)
    }
    if algorithm != nil, checksums.isEmpty { throw .algorithmWithoutChecksum }
  }

  private static let keys: Set<String> = ["url", "mirror", "out", "size", "checksum", "algorithm"]

  /// - Returns: whether the pair is a condition.
  private mutating func setCondition(_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(Fault) -> Bool {
    let name = key.loweredPrintable
    if Self.keys.contains(name) || DigestAlgorithm(name: name) != nil { return false }
    if StatedDigest.isOtherAlgorithm(name) { throw .unknownKey(Array(key)) }
    guard let column = Column(key) else { throw .invalidNumber(Array(key)) }
    let wanted: Condition.Wanted =
      value.isEmpty ? .none : value.elementsEqual("*".utf8) ? .some : .text(Array(value))
    conditions.append(Condition(column: column, value: wanted))
    return true
  }

  private mutating func set(_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(Fault) {
    let name = key.loweredPrintable
    let isOptional = value.last == UInt8(ascii: "?") && (name == "url" || name == "size")
    guard let column = Column(isOptional ? value.dropLast() : value) else { throw .invalidNumber(Array(value)) }
    let isNew: Bool
    switch name {
    case "url":
      isNew = url == nil
      url = column
      urlIsOptional = isOptional
    case "mirror":
      isNew = true
      mirrors.append(column)
    case "out":
      isNew = out == nil
      out = column
    case "size":
      isNew = size == nil
      size = column
      zeroSizeIsUnknown = isOptional
    case "checksum":
      isNew = !checksums.contains(column)
      checksums.append(column)
    case "algorithm":
      isNew = self.algorithm == nil
      self.algorithm = column
    default:
      guard let algorithm = DigestAlgorithm(name: name) else { throw .unknownKey(Array(key)) }
      isNew = !digests.contains { $0.algorithm == algorithm }
      digests.append(DigestColumn(algorithm: algorithm, column: column))
    }
    if !isNew { throw .repeatedKey(Array(key)) }
  }

  /// All columns that a file may lack, but those of conditions.
  package var optionalColumns: [Column] {
    [out, size, algorithm].compactMap { $0 } + mirrors + digests.map(\.column) + checksums
  }

  /// Whether all columns are numbers, so that a table needs no header.
  var hasNumbersOnly: Bool {
    ([url].compactMap { $0 } + optionalColumns + conditions.map(\.column)).allSatisfy {
      if case .number = $0 { true } else { false }
    }
  }
}
