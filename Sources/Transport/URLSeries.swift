import DownloadCore

/// Parses the URLs of a list quickly: most differ from the previous one only in a plain path.
///
/// Keeps libcurl's result for scheme and authority for the next URL that begins with the same bytes, if its path
/// contains nothing that libcurl would encode, remove or split off. libcurl parses all other URLs.
package struct URLSeries {
  /// `https://user@host:port` as written, and its meaning.
  private final class Authority {
    let prefix: [UInt8]
    let origin: Origin
    let userinfo: String?

    init(prefix: [UInt8], _ parsed: URLParser.Parsed) {
      self.prefix = prefix
      origin = parsed.location.origin
      userinfo = parsed.userinfo
    }
  }

  private var last: Authority?

  package init() {}

  package mutating func parse(_ text: [UInt8]) throws(URLParser.Failure) -> URLParser.Parsed {
    if let last, text.starts(with: last.prefix), Self.isPlainPath(text[last.prefix.count...]) {
      let path = String(decoding: text[last.prefix.count...], as: UTF8.self)
      return URLParser.Parsed(
        location: Location(origin: last.origin, path: path, query: nil), userinfo: last.userinfo)
    }
    let parsed = try URLParser.parse(text)
    if let end = Self.endOfAuthority(text) { last = Authority(prefix: Array(text[..<end]), parsed) }
    return parsed
  }

  /// `//` authority `/` (RFC 3986 section 3): the index of the path.
  ///
  /// Nil where something other than a path follows, for example a query, whose slashes do not start a path. Nil also
  /// for an empty authority: libcurl skips a third slash, and the host follows it.
  private static func endOfAuthority(_ text: [UInt8]) -> Int? {
    let slash = UInt8(ascii: "/")
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[(colon + 1)...].starts(with: [slash, slash]),
      let end = text[(colon + 3)...].firstIndex(where: {
        $0 == slash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      }),
      text[end] == slash, end > colon + 3
    else { return nil }
    return end
  }

  /// Whether the path has only unreserved characters (RFC 3986 section 2.3) except `~`, and slashes, and no segment is
  /// empty or begins with a dot.
  private static func isPlainPath(_ path: ArraySlice<UInt8>) -> Bool {
    var previous: UInt8 = 0
    for byte in path {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        if previous == 0 { return false }
      case UInt8(ascii: "/"), UInt8(ascii: "."):
        let begins = previous == 0 || previous == UInt8(ascii: "/")
        if begins != (previous == 0 && byte == UInt8(ascii: "/")) { return false }
      default: return false
      }
      previous = byte
    }
    return previous != 0
  }
}
