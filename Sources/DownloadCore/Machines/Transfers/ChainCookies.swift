/// The cookies that redirects of one item set (RFC 6265), where the run keeps none.
///
/// Some servers redirect to a login and back, and know the client by a cookie then. It is sent with the item's further
/// requests that it is meant for, and forgotten with the item. A server can as well put the same text into the redirect's
/// URL, so cookies reveal nothing that redirects do not.
package struct ChainCookies: Sendable, Equatable {
  private struct Cookie: Equatable {
    let name: [UInt8]
    let value: [UInt8]
    /// Lower case, without a leading dot.
    let domain: String
    /// Whether no subdomain gets it.
    let isForHostOnly: Bool
    let path: String
    let isSecure: Bool
    /// Seconds since 1970; nil for none.
    let expiry: Int64?

    func replaces(_ other: Cookie) -> Bool { name == other.name && domain == other.domain && path == other.path }

    func isFor(_ location: Location, unixTime: Int64) -> Bool {
      let isHost = location.host == domain
      return (isHost || !isForHostOnly && ChainCookies.isSubdomain(location.host, of: domain))
        && ChainCookies.isWithin(path, location.path) && (!isSecure || location.scheme.isEncrypted)
        && expiry ?? .max > unixTime
    }
  }

  /// RFC 6265 section 6.1 asks for 50 cookies of 4,096 bytes each domain; servers take about 8 KiB in one field.
  private static let mostCookies = 50
  package static let mostCookieBytes = 4096
  private static let mostFieldBytes = 8190

  private var cookies: [Cookie] = []

  package init() {}

  /// Takes the values of a redirect's Set-Cookie fields.
  ///
  /// - Parameter location: the URL that was asked.
  package mutating func take(_ values: [[UInt8]], from location: Location, unixTime: Int64) {
    for value in values {
      guard let cookie = Self.cookie(value, from: location, unixTime: unixTime) else { continue }
      cookies.removeAll(where: cookie.replaces)
      // One that has expired only removes.
      if cookie.expiry ?? .max > unixTime, cookies.count < Self.mostCookies { cookies.append(cookie) }
    }
  }

  /// The value of the Cookie field for a request; nil where none is meant for it.
  package func field(for location: Location, unixTime: Int64) -> [UInt8]? {
    if cookies.isEmpty { return nil }
    var field: [UInt8] = []
    let sent = cookies.filter { $0.isFor(location, unixTime: unixTime) }.enumerated()
      .sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
    for (_, cookie) in sent {
      let pair = cookie.name + [UInt8(ascii: "=")] + cookie.value
      guard field.count + pair.count + 2 <= Self.mostFieldBytes else { break }
      field += (field.isEmpty ? [] : Array("; ".utf8)) + pair
    }
    return field.isEmpty ? nil : field
  }

  /// - Returns: nil for what is no cookie, or not this server's to set.
  private static func cookie(_ value: [UInt8], from location: Location, unixTime: Int64) -> Cookie? {
    let parts = value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard let (name, content) = pair(parts[0]), let content, !name.isEmpty,
      name.count + content.count <= mostCookieBytes, !value.contains(where: { $0.isControl && $0 != 0x09 })
    else { return nil }
    var (domain, path, isSecure, expires, maxAge) = ("", "", false, Int64?.none, Int64?.none)
    for part in parts.dropFirst() {
      guard let (attribute, text) = pair(part) ?? (part.trimmed, nil) as (ArraySlice<UInt8>, ArraySlice<UInt8>?)?
      else { continue }
      let value = String(decoding: text ?? [], as: UTF8.self)
      switch String(decoding: attribute.map(\.lowercased), as: UTF8.self) {
      case "domain": domain = String(value.drop { $0 == "." }).lowercased()
      case "path": path = value
      case "secure": isSecure = true
      case "expires": expires = HTTPDate.parse(Array(value.utf8)) ?? expires
      case "max-age": maxAge = seconds(text ?? []) ?? maxAge
      default: break
      }
    }
    let host = location.host
    // One label, such as `com`, is everybody's.
    guard domain.isEmpty || domain == host || domain.contains(".") && isSubdomain(host, of: domain) else { return nil }
    let expiry = maxAge.map { $0 <= 0 ? .min : unixTime.addingReportingOverflow($0).partialValue } ?? expires
    return Cookie(
      name: Array(name), value: Array(content), domain: domain.isEmpty ? host : domain, isForHostOnly: domain.isEmpty,
      path: path.hasPrefix("/") ? path : directory(of: location.path), isSecure: isSecure, expiry: expiry)
  }

  /// `name=value` without blanks around both; nil without the sign.
  private static func pair(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?)? {
    guard let sign = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (text[..<sign].trimmed, text[(sign + 1)...].trimmed)
  }

  /// At most what four bytes hold, so that sums do not overflow.
  private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.first == UInt8(ascii: "-") { return 0 }
    guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
    return min(Int64(digits: text) ?? .max, Int64(UInt32.max))
  }

  /// RFC 6265 section 5.1.3: an address has no subdomains.
  private static func isSubdomain(_ host: String, of domain: String) -> Bool {
    guard host.hasSuffix("." + domain), !host.hasPrefix("[") else { return false }
    return !host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
  }

  /// RFC 6265 section 5.1.4.
  private static func isWithin(_ path: String, _ asked: String) -> Bool {
    guard asked.hasPrefix(path) else { return false }
    return path.hasSuffix("/") || asked.utf8.count == path.utf8.count || asked.dropFirst(path.count).hasPrefix("/")
  }

  private static func directory(of path: String) -> String {
    let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    return directory.isEmpty ? "/" : String(directory)
  }
}
