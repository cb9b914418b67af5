import CSwiftGetCurl
import CSwiftGetShims
package import DownloadCore

/// Parses and resolves URLs with libcurl's parser, so that the result always agrees with the transfer.
package enum URLParser {
  package enum Fault: Error, Hashable, Sendable {
    case malformed
    case unsupportedScheme(String)
    case noHost
    /// International labels that IDNA does not allow (RFC 5891), or whose mapping is no host.
    case invalidInternationalHost
    /// Longer than `mostHostBytes`.
    case hostTooLong
  }

  /// RFC 3986 section 3.2.2.
  private static let mostHostBytes = 255

  /// Parses an absolute URL. Drops the fragment and percent-encodes spaces, and decodes name and password.
  package static func parse(_ text: some Sequence<UInt8>) throws(Fault) -> MirrorURL {
    try parse(text, relativeTo: nil)
  }

  /// Resolves a reference such as a `Location` header's value (RFC 3986 section 5). Tabs are left out, as browsers do (URL
  /// Standard, section 4.4).
  package static func resolve(_ reference: some Sequence<UInt8>, against base: Location) throws(Fault) -> MirrorURL {
    try parse(reference.filter { $0 != UInt8(ascii: "\t") }, relativeTo: base)
  }

  private static func parse(_ text: some Sequence<UInt8>, relativeTo base: Location?) throws(Fault) -> MirrorURL {
    guard let handle = curl_url() else { throw .malformed }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)
    if let base {
      guard curl_url_set(handle, CURLUPART_URL, base.text, 0) == CURLUE_OK else { throw .malformed }
    }
    var bytes = Array(text)
    if bytes.contains(0) { throw .malformed }
    bytes.append(0)
    let code = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { curl_url_set(handle, CURLUPART_URL, $0.baseAddress, flags) }
    }
    guard code == CURLUE_OK else {
      throw code == CURLUE_NO_HOST || code == CURLUE_BAD_HOSTNAME ? .noHost : .malformed
    }
    guard let schemeText = part(handle, CURLUPART_SCHEME) else { throw .malformed }
    guard let scheme = Location.Scheme(rawValue: schemeText.lowercased()) else {
      throw .unsupportedScheme(schemeText)
    }
    guard let host = try host(handle, hasEscapes: bytes.contains(UInt8(ascii: "%"))) else { throw .noHost }
    guard let portText = part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)), let port = UInt16(portText) else {
      throw .malformed
    }
    let path = part(handle, CURLUPART_PATH) ?? "/"
    var userinfo: String?
    let user = try decoded(handle, CURLUPART_USER)
    let password = try decoded(handle, CURLUPART_PASSWORD)
    if user != nil || password != nil {
      // A colon in the name would look like its end.
      let isAlone = password == nil && user?.contains(":") == false
      userinfo = (user ?? "") + (isAlone ? "" : ":" + (password ?? ""))
    }
    return MirrorURL(
      location: Location(
        scheme: scheme, host: host.lowercased(), port: port, path: path, query: part(handle, CURLUPART_QUERY)),
      userinfo: userinfo)
  }

  private static let proxySchemes: Set = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

  /// Whether libcurl can use the text as a proxy. It takes `host:port` too.
  package static func isProxy(_ text: String) -> Bool {
    guard let handle = curl_url() else { return false }
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME)
    guard curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK, part(handle, CURLUPART_HOST) != nil,
      let scheme = part(handle, CURLUPART_SCHEME)?.lowercased()
    else { return false }
    // A guessed scheme depends on the host: `ftp.example.org` is guessed to speak FTP. libcurl uses HTTP for all.
    return !text.contains("://") || proxySchemes.contains(scheme)
  }

  /// The host as a transfer uses it: in ASCII, with the zone of a link-local address. Nil if there is none.
  private static func host(_ handle: OpaquePointer, hasEscapes: Bool) throws(Fault) -> String? {
    guard var host = part(handle, CURLUPART_HOST), !host.isEmpty else { return nil }
    guard host.utf8.count <= mostHostBytes else { throw .hostTooLong }
    if host.first == "[" {
      // libcurl stores the zone separately (RFC 6874).
      guard host.last == "]", let zone = part(handle, CURLUPART_ZONEID) else { return host }
      guard zone.utf8.allSatisfy(\.isUnreserved) else { throw .malformed }
      return host.dropLast() + "%25" + zone + "]"
    }
    // Some versions of libcurl decode escapes in a host. The result may mean another host when it is parsed again.
    guard !host.utf8.contains(where: endsHost) else { throw .malformed }
    let isInternational = host.utf8.contains { $0 > 0x7f }
    if isInternational {
      host = try inASCII(handle)
      guard host.utf8.count <= mostHostBytes else { throw .hostTooLong }
    }
    // For example, `0x7f%61a` would be a name now and an address then.
    if hasEscapes || isInternational, readAgain(host) != host {
      throw isInternational ? .invalidInternationalHost : .malformed
    }
    return host
  }

  /// The host with A-labels (RFC 5890).
  private static func inASCII(_ handle: OpaquePointer) throws(Fault) -> String {
    var text: UnsafeMutablePointer<CChar>?
    guard shim_url_get_ascii_host(handle, &text) == CURLUE_OK, let text else { throw .invalidInternationalHost }
    defer { curl_free(text) }
    let host = String(cString: text)
    // libidn2 maps some characters to delimiters: U+2100 becomes `a/c`, and another host would be asked.
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 < 0x80 && !endsHost($0) }) else { throw .invalidInternationalHost }
    return host
  }

  /// Parses a host again that libcurl has extracted from a URL.
  private static func readAgain(_ host: String) -> String? {
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    guard curl_url_set(handle, CURLUPART_URL, "http://\(host)/", 0) == CURLUE_OK else { return nil }
    return part(handle, CURLUPART_HOST)
  }

  /// Bytes that a host name cannot contain, and delimiters that would end it (RFC 3986 section 3.2.2).
  private static func endsHost(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7f || "\"#%/:<>?@[\\]^`{|}".utf8.contains(byte)
  }

  /// Percent-decoded. Throws for control characters, which a header cannot contain.
  private static func decoded(_ handle: OpaquePointer, _ name: CURLUPart) throws(Fault) -> String? {
    guard part(handle, name) != nil else { return nil }
    guard let text = part(handle, name, UInt32(CURLU_URLDECODE)), !text.utf8.contains(0x7f) else { throw .malformed }
    return text
  }

  private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
