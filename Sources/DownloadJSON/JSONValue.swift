internal import CSwiftGetJansson
package import DownloadCore

/// A value of a parsed JSON text. It keeps the whole text's tree alive, and nothing changes that.
///
/// jansson counts references atomically, so a value may go to another thread.
package struct JSONValue: Equatable, @unchecked Sendable {
  /// Owns a reference to the root.
  private final class Tree {
    let root: UnsafeMutablePointer<json_t>

    init(_ root: UnsafeMutablePointer<json_t>) { self.root = root }

    deinit { json_decref(root) }
  }

  private let tree: Tree
  private let value: UnsafeMutablePointer<json_t>

  private init(_ tree: Tree, _ value: UnsafeMutablePointer<json_t>) {
    self.tree = tree
    self.value = value
  }

  /// Parses a text, which must be an object or an array. Duplicate keys and NUL characters are errors.
  ///
  /// - Returns: in the case of an error its line, counted from 1.
  package static func parse(_ text: ArraySlice<UInt8>) -> Result<JSONValue, ParseError> {
    var error = json_error_t()
    let root = text.withUnsafeBytes { bytes in
      json_loadb(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, Int(JSON_REJECT_DUPLICATES), &error)
    }
    guard let root else {
      // As `json_error_code` reads it, whose name is also that of its type.
      let code = withUnsafeBytes(of: error.text) { UInt32($0.last ?? 0) }
      return .failure(ParseError(line: max(1, Int(error.line)), syntax: syntax(code)))
    }
    return .success(JSONValue(Tree(root), root))
  }

  package struct ParseError: Error, Equatable {
    package var line: Int
    package var syntax: JSONProblem.Syntax

    package var problem: JSONProblem { .syntax(syntax) }
  }

  /// Parses a value of any type.
  package static func parse(value text: [UInt8]) -> Result<JSONValue, ParseError> {
    // jansson parses objects and arrays only.
    if text.first == UInt8(ascii: "{") { return parse(text[...]) }
    return parse(([UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])[...]).flatMap { array in
      guard let elements = array.elements, elements.count == 1 else {
        return .failure(ParseError(line: 1, syntax: .invalid))
      }
      return .success(elements[0])
    }
  }

  private static func syntax(_ code: UInt32) -> JSONProblem.Syntax {
    switch code {
    case json_error_premature_end_of_input.rawValue: .incomplete
    case json_error_end_of_input_expected.rawValue: .textAfterValue
    case json_error_invalid_utf8.rawValue: .invalidUTF8
    case json_error_null_character.rawValue, json_error_null_byte_in_key.rawValue: .nulCharacter
    case json_error_duplicate_key.rawValue: .duplicateKey
    case json_error_numeric_overflow.rawValue: .numberTooLarge
    case json_error_stack_overflow.rawValue: .tooDeep
    default: .invalid
    }
  }

  package static func == (left: JSONValue, right: JSONValue) -> Bool { json_equal(left.value, right.value) == 1 }

  // MARK: Types

  private var type: json_type { value.pointee.type }

  package var isNull: Bool { type == JSON_NULL }
  package var isObject: Bool { type == JSON_OBJECT }

  /// Nil for what is neither true nor false.
  package var boolean: Bool? {
    if type == JSON_TRUE { return true }
    return type == JSON_FALSE ? false : nil
  }

  /// The elements of an array; nil for any other value.
  package var elements: Elements? { type == JSON_ARRAY ? Elements(array: self) : nil }

  /// The bytes of a text, which are UTF-8.
  package var text: [UInt8]? {
    guard type == JSON_STRING, let start = json_string_value(value) else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: json_string_length(value)))
  }

  /// A whole number; nil for one with a fraction or an exponent.
  package var integer: Int64? { type == JSON_INTEGER ? json_integer_value(value) : nil }

  /// Any number; nil for other values.
  package var number: Double? { type == JSON_INTEGER || type == JSON_REAL ? json_number_value(value) : nil }

  /// A value of an object; nil where it has no such key, and for any other value.
  package subscript(_ key: ArraySlice<UInt8>) -> JSONValue? {
    // jansson refuses keys with NUL characters.
    if key.contains(0) { return nil }
    return withUnsafeTemporaryAllocation(byteCount: key.count + 1, alignment: 1) { buffer in
      buffer.copyBytes(from: key)
      buffer[key.count] = 0
      return member(buffer.baseAddress)
    }
  }

  package subscript(_ key: StaticString) -> JSONValue? {
    // A static string ends with NUL.
    key.hasPointerRepresentation ? member(key.utf8Start) : key.withUTF8Buffer { self[Array($0)[...]] }
  }

  /// - Parameter key: ends with NUL.
  private func member(_ key: UnsafeRawPointer?) -> JSONValue? {
    json_object_get(value, key?.assumingMemoryBound(to: CChar.self)).map { JSONValue(tree, $0) }
  }

  /// The keys and values of an object in the order of the text; empty for any other value.
  package var members: [(key: [UInt8], value: JSONValue)] {
    var members: [(key: [UInt8], value: JSONValue)] = []
    var iterator = json_object_iter(value)
    while let current = iterator {
      if let key = json_object_iter_key(current), let value = json_object_iter_value(current) {
        members.append((Array(String(cString: key).utf8), JSONValue(tree, value)))
      }
      iterator = json_object_iter_next(value, current)
    }
    return members
  }

  package struct Elements: RandomAccessCollection, Sendable {
    fileprivate let array: JSONValue

    package var startIndex: Int { 0 }
    package var endIndex: Int { json_array_size(array.value) }

    package subscript(_ index: Int) -> JSONValue {
      guard let element = json_array_get(array.value, index) else { preconditionFailure("no element \(index)") }
      return JSONValue(array.tree, element)
    }
  }
}
