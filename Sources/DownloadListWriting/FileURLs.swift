package import DownloadCore

/// The URLs of a manifest's files: their names below a base URL, or references relative to one that readers choose.
package struct FileURLs: Hashable, Sendable {
  /// Ends with a slash; empty for relative references.
  private let base: [UInt8]

  /// - Parameter base: a directory; its query is left out. Nil makes relative references.
  package init(base: Location?) {
    guard let base else {
      self.base = []
      return
    }
    let text = Location(origin: base.origin, path: base.path, query: nil).text
    self.base = Array((text.hasSuffix("/") ? text : text + "/").utf8)
  }

  func url(of name: [UInt8]) -> [UInt8] {
    var url = base
    for (index, component) in name.split(separator: UInt8(ascii: "/")).enumerated() {
      if index > 0 { url.append(UInt8(ascii: "/")) }
      // A colon in the first segment of a reference would make it a scheme (RFC 3986 section 4.2).
      if index == 0, base.isEmpty, component.contains(UInt8(ascii: ":")) { url += "./".utf8 }
      PercentEncoding.append(segment: Array(component), to: &url)
    }
    return url
  }
}
