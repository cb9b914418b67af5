import CCurl
package import DownloadCore

/// URLs, parsed and resolved by libcurl's own parser, so that nobody else's opinion can differ from the transfer's.
package enum URLParser {
  package struct Parsed: Sendable {
    package var location: Location
    /// `user:password` as it stood in the URL, percent-decoded.
    package var userinfo: String?
  }

  package enum Failure: Error, Hashable, Sendable {
    case malformed
    case unsupportedScheme(String)
    case noHost

    package var text: String {
      switch self {
      case .malformed: "not a valid URL"
      case .unsupportedScheme(let scheme): "\(scheme): is not supported, only http: and https: are"
      case .noHost: "a URL without a host"
      }
    }
  }

  /// Parses an absolute URL; the fragment is dropped, spaces are percent-encoded.
  package static func parse(_ text: some Sequence<UInt8>) throws(Failure) -> Parsed {
    try parse(text, relativeTo: nil)
  }

  /// Resolves a reference such as a `Location` header's value (RFC 3986 section 5).
  package static func resolve(_ reference: some Sequence<UInt8>, against base: Location) throws(Failure) -> Parsed {
    try parse(reference, relativeTo: base)
  }

  private static func parse(_ text: some Sequence<UInt8>, relativeTo base: Location?) throws(Failure) -> Parsed {
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
    guard let host = part(handle, CURLUPART_HOST), !host.isEmpty else { throw .noHost }
    guard let portText = part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)), let port = UInt16(portText) else {
      throw .malformed
    }
    let path = part(handle, CURLUPART_PATH) ?? "/"
    var userinfo: String?
    if let user = part(handle, CURLUPART_USER, UInt32(CURLU_URLDECODE)) {
      userinfo = user + ":" + (part(handle, CURLUPART_PASSWORD, UInt32(CURLU_URLDECODE)) ?? "")
    }
    return Parsed(
      location: Location(
        scheme: scheme, host: host.lowercased(), port: port, path: path, query: part(handle, CURLUPART_QUERY)),
      userinfo: userinfo)
  }

  private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
