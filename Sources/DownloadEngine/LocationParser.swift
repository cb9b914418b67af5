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
    do {
      let parsed = try series.parse(text)
      return MirrorURL(location: parsed.location, userinfo: parsed.userinfo)
    } catch {
      switch error {
      case .malformed: throw .malformed
      case .unsupportedScheme(let scheme): throw .unsupportedScheme(scheme)
      case .noHost: throw .noHost
      case .invalidInternationalHost: throw .invalidInternationalHost
      case .hostTooLong: throw .hostTooLong
      }
    }
  }

  /// Whether libcurl can use the text as a proxy.
  package static func isProxy(_ text: String) -> Bool { URLParser.isProxy(text) }

  /// `libcurl/7.88.1 OpenSSL/3.0.19 …`
  package static var libraryVersion: String { CurlGlobal.version }
}
