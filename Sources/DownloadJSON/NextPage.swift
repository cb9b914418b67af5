/// What a document that is one page of a list says about the next page.
///
/// `next` and `nextLink` are URLs at the top (Django REST Framework, Google, Azure, OData); `links` and `_links` are an object
/// whose `next` is a URL or has one as `href` (JSON:API, HAL, Zenodo), or an array of links with `rel` and `href` (STAC).
enum NextPage {
  /// Whether a member of the document names a next page. On the last page such a member is absent, null or empty.
  static func isNamed(by key: [UInt8], _ value: JSONValue) -> Bool {
    switch String(decoding: key, as: UTF8.self) {
    case "next", "nextLink", "@odata.nextLink": isAddress(value)
    case "links", "_links":
      value["next"].map(isAddress) ?? false
        || value.elements?.contains { $0["rel"]?.text == Array("next".utf8) && isAddress($0) } ?? false
    default: false
    }
  }

  /// A URL, or a reference to a path or a query; or an object with one.
  private static func isAddress(_ value: JSONValue) -> Bool {
    if let href = value["href"] { return isAddress(href) }
    guard let text = value.text, let first = text.first else { return false }
    return text.firstRange(of: Array("://".utf8)) != nil || first == UInt8(ascii: "/") || first == UInt8(ascii: "?")
  }
}
