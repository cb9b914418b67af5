package import DownloadCore
import Glibc

/// Parses the URLs of a list quickly: most differ from earlier ones only in a plain path or query.
///
/// Keeps libcurl's results for schemes and authorities, for further URLs that begin with the same bytes and go on in a way
/// that libcurl leaves as it is, see `PlainURL`. libcurl parses all other URLs.
package struct URLSeries: Sendable {
  /// `https://user@host:port` as written, and its meaning.
  private final class Authority: Sendable {
    let prefix: [UInt8]
    let origin: Origin
    let userinfo: String?

    init(prefix: [UInt8], _ parsed: MirrorURL) {
      self.prefix = prefix
      origin = parsed.location.origin
      userinfo = parsed.userinfo
    }
  }

  /// Each has one place, by its hash, from which a later one displaces it.
  private var authorities = [Authority?](repeating: nil, count: 64)

  package init() {}

  /// Whether libcurl has accepted this scheme and authority, so that it accepts all plain URLs that begin with them.
  package func knows(authority: UnsafeRawBufferPointer) -> Bool { known(authority) != nil }

  package mutating func parse(_ text: [UInt8]) throws(URLParser.Fault) -> MirrorURL {
    if let parsed = text.withUnsafeBytes(parsedPlain) { return parsed }
    let parsed = try URLParser.parse(text)
    if let pathStart = text.withUnsafeBytes(PlainURL.pathStart) {
      let authority = Authority(prefix: Array(text[..<pathStart]), parsed)
      authorities[authority.prefix.withUnsafeBytes(Self.place)] = authority
    }
    return parsed
  }

  /// A plain URL with an authority that is known.
  private func parsedPlain(_ text: UnsafeRawBufferPointer) -> MirrorURL? {
    guard let plain = PlainURL(text), let known = known(UnsafeRawBufferPointer(rebasing: text[..<plain.pathStart]))
    else { return nil }
    let path = String(decoding: text[plain.pathStart..<plain.pathEnd], as: UTF8.self)
    let query = plain.pathEnd < text.count ? String(decoding: text[(plain.pathEnd + 1)...], as: UTF8.self) : nil
    return MirrorURL(
      location: Location(origin: known.origin, path: path, query: query), userinfo: known.userinfo)
  }

  private func known(_ prefix: UnsafeRawBufferPointer) -> Authority? {
    guard let authority = authorities[Self.place(of: prefix)], let start = prefix.baseAddress,
      authority.prefix.count == prefix.count, memcmp(authority.prefix, start, prefix.count) == 0
    else { return nil }
    return authority
  }

  private static func place(of prefix: UnsafeRawBufferPointer) -> Int { Int(StableHash.fnv1a(prefix) % 64) }
}
