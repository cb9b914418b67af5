internal import DownloadCore

/// Which page of a list a document is.
package enum ListPage: Sendable {
  /// The only one that is read. One that goes on elsewhere is refused.
  case only
  /// The first one of several that are read.
  case first
  /// Another one. It need not have all that the options name.
  case further
}

/// What a document that is one page of a list says about the next page.
///
/// `next` and `nextLink` are URLs at the top (Django REST Framework, Google, Azure, OData); `links` and `_links` are an object
/// whose `next` is a URL or has one as `href` (JSON:API, HAL, Zenodo), or an array of links with `rel` and `href` (STAC).
enum NextPage {
  /// The next page that a member of the document names: a URL or an unresolved reference. On the last page such a member is
  /// absent, null or empty.
  static func reference(in key: [UInt8], _ value: JSONValue) -> [UInt8]? {
    switch String(decoding: key, as: UTF8.self) {
    case "next", "nextLink", "@odata.nextLink": address(value)
    case "links", "_links":
      value["next"].flatMap(address)
        ?? value.elements?.lazy.filter { $0["rel"]?.text == Array("next".utf8) }.compactMap(address).first
    default: nil
    }
  }

  /// A URL, or a reference to a path or a query; or an object with one.
  private static func address(_ value: JSONValue) -> [UInt8]? {
    if let href = value["href"] { return address(href) }
    guard let text = value.text, let first = text.first else { return nil }
    let isOne =
      text.firstRange(of: Array("://".utf8)) != nil || first == UInt8(ascii: "/") || first == UInt8(ascii: "?")
    return isOne ? text : nil
  }
}

/// Finds the next page in the text of a document, of which it holds no more than a member.
package struct NextPageReader: Sendable {
  /// Longer members of the document are passed over. Bytes.
  private static let maximumPartByteCount = 64 << 10

  private var splitter = DocumentSplitter(records: [], mostBytes: Self.maximumPartByteCount)
  private var hasBegun = false
  /// Nothing more is read.
  private var isAtEnd = false
  /// A URL or an unresolved reference; nil as long as none is found.
  package private(set) var reference: [UInt8]?

  package init() {}

  /// Takes the next bytes, at first as many as a byte order mark has.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if isAtEnd { return }
    let start = hasBegun || !bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 0 : ByteOrderMark.maximumByteCount
    hasBegun = true
    var found: [UInt8]?
    var isAtEnd = false
    splitter.append(UnsafeRawBufferPointer(rebasing: bytes[start...])) { part in
      switch part {
      case .success(.member(let key, let text)):
        // What is wrong with the document is told where it is read.
        if found == nil, case .success(let value) = JSONValue.parse(value: text.bytes) {
          found = NextPage.reference(in: key, value)
        }
      case .success(.array(key: nil, _, _)), .failure: isAtEnd = true
      case .success: break
      }
    }
    reference = reference ?? found
    self.isAtEnd = isAtEnd || reference != nil
  }
}
