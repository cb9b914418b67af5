package import DownloadCore
internal import Glibc

/// The variables of the environment that name proxies, as libcurl reads them (curl(1), section ENVIRONMENT). An empty one is
/// none.
package enum ProxyVariables {
  /// All that name a proxy. HTTP_PROXY is not among them, because a CGI program gets it from the header field Proxy.
  static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// The value of a variable of this process.
  package static func ofProcess(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The proxy for a URL.
  ///
  /// - Parameters:
  ///   - given: the proxy that the user names for all URLs.
  ///   - noProxy: as `TransportSettings.noProxy`.
  ///   - value: that of a variable.
  /// - Returns: nil if neither the user nor a variable says anything; empty for no proxy.
  package static func proxy(
    for location: Location, given: String?, noProxy: String?, value: (String) -> String? = ofProcess
  ) -> String? {
    func set(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
    let scheme = location.scheme.rawValue
    let own = location.scheme.isEncrypted ? set("\(scheme)_proxy") ?? set("HTTPS_PROXY") : set("\(scheme)_proxy")
    let named = given ?? own ?? set("all_proxy") ?? set("ALL_PROXY")
    guard named != nil || noProxy != nil else { return nil }
    let isDirect = NoProxy.named(by: noProxy, value: value)?.covers(location.host) ?? false
    return isDirect ? "" : named
  }
}
