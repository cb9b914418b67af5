/// Why a JSON list, or an entry of one, cannot be understood. `where` and `key` are names of the list's keys.
package enum JSONProblem: Error, Hashable, Sendable {
  /// What the syntax of JSON, or a limit of its parser, does not allow.
  package enum Syntax: Hashable, Sendable, CaseIterable {
    case invalid
    /// The text ends inside a value.
    case incomplete
    /// Something stands behind the value.
    case textAfterValue
    case invalidUTF8
    case nulCharacter
    case duplicateKey
    /// More keys in the object of a document than any list has.
    case manyKeys
    /// A number beyond 64 bits.
    case numberTooLarge
    case tooDeep
  }

  case syntax(Syntax)
  /// An entry or a value of a document that is longer than this number of bytes.
  case valueTooLong(limit: Int)
  /// A longer line of JSON Lines than this number of bytes.
  case lineTooLong(limit: Int)
  /// A value of another type than this key has; nil for an entry itself.
  case wrongType(key: [UInt8]?, expected: ExpectedType)
  case unknownKey([UInt8])
  case missingKey([UInt8])
  /// An array or a text without content.
  case emptyValue(key: [UInt8])
  /// Another version than 1.
  case unknownVersion
  /// Negative, or not whole.
  case notSize(key: [UInt8])
  /// The number of hashes does not fit the size and the length of pieces.
  case pieceCount(found: Int, size: Int64)
  /// The name or value of a header.
  case malformedHeader
  /// A document that is neither ours nor a data package, without options that name columns.
  case unknownDocument
  /// No array of objects where the paths of `--columns` lead, or several.
  case noRecords
  /// A path through an array outside of the records, and the path to these.
  case pathOutsideRecords([UInt8], key: [UInt8])
  /// The list is one of several pages, and names the next one.
  case nextPage
  /// The next page of a list is on another server.
  case foreignPage
  /// The next page of a list is one of those before.
  case repeatedPage
  /// A list has more pages than this number.
  case manyPages(limit: Int)
  /// A path of an option that leads to a value in no record.
  case unknownPath([UInt8])
  /// Several values of a record where one is wanted. The path.
  case severalValues([UInt8])
  /// A digest whose record has not one algorithm where this path leads.
  case noAlgorithm([UInt8])
  /// `{key}` without a path with `*`.
  case noKeys
  /// A column of an option that is a number.
  case numberedColumn(Int)
  /// A resource of a data package in several parts.
  case resourceInParts

  package enum ExpectedType: String, Hashable, Sendable {
    case object = "an object"
    case array = "an array"
    case text = "a text"
    case boolean = "true or false"
    case texts = "a text or an array of texts"
    case checksum = "an object or a text such as sha256:HEX"
  }
}
