import Glibc

/// The elements of Metalink 4 (RFC 5854) and Metalink 3 that are read.
enum MetalinkElement: String, CaseIterable, Sendable {
  case metalink, files, file, size, language, os, verification, hash, pieces, resources, url, metaurl, origin
}

/// The attributes that are read; their names are in no namespace.
enum MetalinkAttribute: String, CaseIterable, Sendable {
  case name, type, length, piece, priority, preference, location, mediatype, version, origin, dynamic
}

/// The name of an element.
struct MetalinkName: Equatable, Sendable {
  enum Namespace: Sendable {
    /// `urn:ietf:params:xml:ns:metalink`
    case version4
    /// `http://www.metalinker.org/`
    case version3
    case none
    case other
  }

  let namespace: Namespace
  /// Nil for an element that is not read.
  let element: MetalinkElement?

  init(_ element: MetalinkElement?, in namespace: Namespace) {
    self.element = element
    self.namespace = namespace
  }

  /// Stands between the namespace and the local name. It cannot be part of either.
  static let separator = UInt8(ascii: " ")

  /// - Parameter expanded: the namespace, the separator and the local name, or a local name alone.
  init(expanded: UnsafeRawBufferPointer) {
    let separator = expanded.lastIndex(of: Self.separator)
    namespace = separator.map { Names.namespaces.value(of: expanded[..<$0]) ?? .other } ?? .none
    element = namespace == .other ? nil : Names.elements.value(of: expanded[(separator.map { $0 + 1 } ?? 0)...])
  }
}

extension MetalinkAttribute {
  init?(_ name: UnsafeRawBufferPointer) {
    guard let attribute = Names.attributes.value(of: name[...]) else { return nil }
    self = attribute
  }
}

/// The attributes of an element that are read.
struct MetalinkAttributes: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  private var values: [Given] = []

  private struct Given: Equatable, Sendable {
    let attribute: MetalinkAttribute
    let text: [UInt8]
  }

  init(dictionaryLiteral elements: (MetalinkAttribute, String)...) {
    for (attribute, text) in elements { append(attribute, Array(text.utf8)) }
  }

  /// XML allows each attribute once.
  mutating func append(_ attribute: MetalinkAttribute, _ text: [UInt8]) {
    values.append(Given(attribute: attribute, text: text))
  }

  subscript(_ attribute: MetalinkAttribute) -> [UInt8]? { values.first { $0.attribute == attribute }?.text }

  /// The value without white space at both ends, which means nothing in numbers and keywords.
  func token(_ attribute: MetalinkAttribute) -> [UInt8]? { self[attribute].map { Array($0.trimmedAsXML) } }

  /// The length of the longest value. Bytes.
  var longest: Int { values.reduce(0) { max($0, $1.text.count) } }
}

/// Finds a name among a few. Names are compared as bytes, because a document has millions of them.
private struct NameTable<Value: Sendable>: Sendable {
  private let names: [(bytes: [UInt8], value: Value)]

  init(_ names: [(String, Value)]) { self.names = names.map { (Array($0.0.utf8), $0.1) } }

  func value(of name: Slice<UnsafeRawBufferPointer>) -> Value? {
    for (bytes, value) in names where Self.equal(bytes, name) { return value }
    return nil
  }

  private static func equal(_ bytes: [UInt8], _ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard bytes.count == name.count else { return false }
    let name = UnsafeRawBufferPointer(rebasing: name)
    return name.baseAddress.map { memcmp(bytes, $0, bytes.count) == 0 } ?? true
  }
}

/// The names that are read.
private enum Names {
  static let elements = NameTable(MetalinkElement.allCases.map { ($0.rawValue, $0) })
  static let attributes = NameTable(MetalinkAttribute.allCases.map { ($0.rawValue, $0) })
  static let namespaces = NameTable<MetalinkName.Namespace>([
    ("urn:ietf:params:xml:ns:metalink", .version4), ("http://www.metalinker.org/", .version3),
  ])
}
