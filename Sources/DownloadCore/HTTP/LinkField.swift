/// A link of a `Link` field (RFC 8288 section 3), as far as downloads need it: another URL of the same file or the
/// next page of a list.
package struct FieldLink: Hashable, Sendable {
  package enum Relation: Hashable, Sendable {
    /// Another URL of the same file (RFC 6249 section 3).
    case duplicate
    /// What follows the content in a series of pages (RFC 8288 section 3.3, HTML's `next`).
    case next
  }

  package var relation: Relation
  /// As sent, between the angle brackets: a URL or an unresolved reference. Not empty.
  package var reference: [UInt8]
  /// 1 to 999999; the lowest is the best.
  package var priority = Self.lowestPriority
  /// A two-letter country code in lower case.
  package var country: String?

  package static let lowestPriority = 999_999

  package init(_ relation: Relation, _ reference: [UInt8]) {
    self.relation = relation
    self.reference = reference
  }
}

/// Reads `Link` fields (RFC 8288 section 3):
///
///     Link       = #link-value
///     link-value = "<" URI-Reference ">" *( OWS ";" OWS [ link-param ] )
///     link-param = token BWS [ "=" BWS ( token / quoted-string ) ]
///
/// Names of parameters and relations have either case. Links of other relations are left out, and so are those of another
/// context (`anchor`), because they say nothing about this file. What follows a malformed link is not read.
package enum LinkField {
  /// The most links read of one field, so that a hostile field costs little.
  private static let maximumCount = 100
  /// A longer reference is left out.
  private static let maximumReferenceByteCount = 4096

  /// The links of one field value, in order.
  package static func links(of value: [UInt8]) -> [FieldLink] {
    var cursor = ByteCursor(value)
    var links: [FieldLink] = []
    for _ in 0..<maximumCount {
      cursor.take(while: { $0.isSpace || $0 == UInt8(ascii: ",") })
      guard cursor.skip(UInt8(ascii: "<")) else { break }
      let reference = Array(cursor.take(while: { $0 != UInt8(ascii: ">") })).trimmed
      guard cursor.skip(UInt8(ascii: ">")), let parameters = parameters(&cursor) else { break }
      guard !reference.isEmpty, reference.count <= maximumReferenceByteCount,
        let link = parameters.link(Array(reference))
      else { continue }
      links.append(link)
    }
    return links
  }

  /// Parameters of a link. The first one of each name counts.
  private struct Parameters {
    var relations: [String]?
    var priority: Int?
    var country: String?
    var hasAnchor = false

    func link(_ reference: [UInt8]) -> FieldLink? {
      guard let relations, !hasAnchor else { return nil }
      if relations.contains("duplicate") {
        var link = FieldLink(.duplicate, reference)
        link.priority = priority ?? FieldLink.lowestPriority
        link.country = country
        return link
      }
      return relations.contains("next") ? FieldLink(.next, reference) : nil
    }
  }

  /// The parameters up to the comma or the end behind the link; nil if they are malformed.
  private static func parameters(_ cursor: inout ByteCursor) -> Parameters? {
    var parameters = Parameters()
    while true {
      cursor.skipSpaces()
      if cursor.isAtEnd || cursor.peeked == UInt8(ascii: ",") { return parameters }
      guard cursor.skip(UInt8(ascii: ";")) else { return nil }
      cursor.skipSpaces()
      let name = cursor.take(while: { $0.isTokenCharacter }).loweredPrintable
      cursor.skipSpaces()
      var value: [UInt8] = []
      if cursor.skip(UInt8(ascii: "=")) {
        cursor.skipSpaces()
        guard let found = self.value(&cursor) else { return nil }
        value = found
      }
      take(name, value, &parameters)
    }
  }

  /// token / quoted-string; nil for a quoted string without an end.
  private static func value(_ cursor: inout ByteCursor) -> [UInt8]? {
    guard cursor.skip(UInt8(ascii: "\"")) else { return Array(cursor.take(while: { $0.isTokenCharacter })) }
    var value: [UInt8] = []
    while !cursor.isAtEnd {
      value += cursor.take(while: { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
      if cursor.skip(UInt8(ascii: "\"")) { return value }
      _ = cursor.skip(UInt8(ascii: "\\"))
      if let escaped = cursor.peeked {
        value.append(escaped)
        _ = cursor.skip(escaped)
      }
    }
    return nil
  }

  private static func take(_ name: String, _ value: [UInt8], _ parameters: inout Parameters) {
    let text = value[...].loweredPrintable
    switch name {
    case "rel": parameters.relations = parameters.relations ?? text.split(separator: " ").map(String.init)
    case "anchor": parameters.hasAnchor = true
    case "geo":
      let isCode = text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0 }
      if isCode { parameters.country = parameters.country ?? text }
    case "pri":
      guard let number = Int64(digits: value[...]), (1...Int64(FieldLink.lowestPriority)) ~= number else { return }
      parameters.priority = parameters.priority ?? Int(number)
    default: break
    }
  }
}
