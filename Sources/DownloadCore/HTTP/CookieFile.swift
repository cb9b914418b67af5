/// A cookie file in the Netscape format, as curl and wget read and write it and browsers' add-ons export it.
///
/// A line is a cookie: domain, whether it includes subdomains (`TRUE` or `FALSE`), path, whether it is for https only
/// (`TRUE` or `FALSE`), expiry in Unix seconds (0 for a session cookie), name and value, separated by TAB. Empty lines
/// are skipped, and those that begin with `#`, except `#HttpOnly_`, which belongs to the domain.
package struct CookieFile: Sendable, Equatable {
  package enum Problem: Error, Hashable, Sendable {
    /// The file is a browser's own store.
    case database
    /// The line is not a cookie. Counted from 1.
    case line(Int)
    /// The line's cookie has more than `mostCookieBytes`. Counted from 1.
    case tooLong(line: Int)
  }

  /// One line for each cookie, without its end. Secret.
  package let cookies: [[UInt8]]

  /// The longest name and value together. libcurl 7.88 sends no more than 8,190 bytes of a request up to the end of its
  /// cookies. Of a first cookie that does not fit it sends the name of the field only, without a line end, which joins it
  /// to the next line. The rest is for the URL; browsers keep cookies of up to 4,096 bytes.
  package static let mostCookieBytes = 7000

  private static let tab = UInt8(ascii: "\t")
  private static let httpOnly = Array("#HttpOnly_".utf8)
  private static let expiryField = 4
  private static let nameField = 5

  package init(_ bytes: [UInt8]) throws(Problem) {
    if bytes.starts(with: "SQLite format 3\0".utf8) { throw .database }
    let text = ByteOrderMark.removed(from: bytes[...])
    var cookies: [[UInt8]] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == Self.tab }) { continue }
      if line.first == UInt8(ascii: "#"), !line.starts(with: Self.httpOnly) { continue }
      guard let cookie = Self.cookie(line) else { throw .line(index + 1) }
      let content = cookie.split(separator: Self.tab, omittingEmptySubsequences: false).dropFirst(Self.nameField)
      if content.reduce(0, { $0 + $1.count }) > Self.mostCookieBytes { throw .tooLong(line: index + 1) }
      cookies.append(cookie)
    }
    self.cookies = cookies
  }

  /// The line with all of its fields; nil where it is not a cookie.
  ///
  /// libcurl joins neighboring separators, so that an empty field would shift the others.
  private static func cookie(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    var fields = line.split(separator: tab, omittingEmptySubsequences: false)
    guard fields.count == 6 || fields.count == 7, !line.contains(0), !line.contains(UInt8(ascii: "\r")),
      !fields[0].isEmpty, isBoolean(fields[1]), isBoolean(fields[3]), !fields[5].isEmpty
    else { return nil }
    if fields[2].isEmpty { fields[2] = [UInt8(ascii: "/")] }
    // Some exports have fractions of seconds.
    let expiry = fields[expiryField].prefix { $0 != UInt8(ascii: ".") }
    guard expiry.allSatisfy(\.isDigit) else { return nil }
    fields[expiryField] = expiry.isEmpty ? [UInt8(ascii: "0")] : expiry
    return Array(fields.joined(separator: CollectionOfOne(tab)))
  }

  private static func isBoolean(_ field: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: field, as: UTF8.self).uppercased()
    return text == "TRUE" || text == "FALSE"
  }

  /// The content of a file with these cookies, except those that have expired.
  ///
  /// - Parameter cookies: lines as libcurl gives them.
  package static func content(_ cookies: [[UInt8]], unixTime: Int64) -> [UInt8] {
    // Some readers accept the file only with this first line.
    var content = Array(
      """
      # Netscape HTTP Cookie File
      # https://curl.se/docs/http-cookies.html
      # Written by swiftget. Whoever can read it can log in as you.


      """.utf8)
    for cookie in cookies where !isExpired(cookie, unixTime: unixTime) {
      content += cookie
      content.append(UInt8(ascii: "\n"))
    }
    return content
  }

  private static func isExpired(_ cookie: [UInt8], unixTime: Int64) -> Bool {
    let fields = cookie.split(separator: tab, maxSplits: expiryField + 1, omittingEmptySubsequences: false)
    guard fields.count > expiryField, let expiry = Int64(digits: fields[expiryField]) else { return false }
    return expiry != 0 && expiry <= unixTime
  }
}
