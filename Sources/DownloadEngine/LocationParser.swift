package import DownloadCore
internal import Transport

/// Parses URLs for the layers above, which do not know the transport; one for all URLs of a list is fastest.
package struct LocationParser {
  package enum Failure: Error, Hashable, Sendable {
    case malformed
    case unsupportedScheme(String)
    case noHost
    case invalidInternationalHost
    case hostTooLong
  }

  private var series = URLSeries()

  package init() {}

  /// Userinfo is moved out of the URL, the fragment dropped.
  package mutating func parse(_ text: [UInt8]) throws(Failure) -> MirrorURL {
    do { return Self.mirror(try series.parse(text)) } catch { throw Self.failure(error) }
  }

  /// Whether `parse` has accepted this scheme and authority (`https://example.org`), so that it accepts all plain URLs that
  /// begin with them.
  package func knows(authority: UnsafeRawBufferPointer) -> Bool { series.knows(authority: authority) }

  /// Resolves a relative reference (RFC 3986 section 5).
  package func resolve(_ reference: [UInt8], against base: Location) throws(Failure) -> MirrorURL {
    do { return Self.mirror(try URLParser.resolve(reference, against: base)) } catch { throw Self.failure(error) }
  }

  private static func mirror(_ parsed: URLParser.Parsed) -> MirrorURL {
    MirrorURL(location: parsed.location, userinfo: parsed.userinfo)
  }

  private static func failure(_ failure: URLParser.Failure) -> Failure {
    switch failure {
    case .malformed: .malformed
    case .unsupportedScheme(let scheme): .unsupportedScheme(scheme)
    case .noHost: .noHost
    case .invalidInternationalHost: .invalidInternationalHost
    case .hostTooLong: .hostTooLong
    }
  }

  /// Whether libcurl can use the text as a proxy.
  package static func isProxy(_ text: String) -> Bool { URLParser.isProxy(text) }

  /// `libcurl/7.88.1 OpenSSL/3.0.19 …`
  package static var libraryVersion: String { CurlGlobal.version }
}
