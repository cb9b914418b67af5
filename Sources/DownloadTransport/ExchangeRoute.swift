package import DownloadCore

/// How an exchange gets to its server.
package struct ExchangeRoute {
  /// What its options asked for.
  package private(set) var askedFamily = TransportSettings.AddressFamily.any
  /// The family of its connection, noted when it failed; nil if there was none.
  package private(set) var usedFamily: TransportSettings.AddressFamily?
  /// Secrets that libcurl may quote in its messages.
  private var proxies: [String] = []

  /// Whether the user or the environment names a proxy.
  package var mayUseProxy: Bool { !proxies.isEmpty }

  /// - Parameter proxies: those that may be used where the task has none of its own.
  mutating func choose(_ options: ExchangeOptions, proxies: [String]) {
    askedFamily = options.addressFamily
    self.proxies = (options.task.settings?.proxy).map { [$0] } ?? proxies
  }

  /// The exchange has failed on a connection to this address; nil if there was none.
  mutating func failed(at address: String?) { usedFamily = address.map { $0.contains(":") ? .ipv6 : .ipv4 } }

  /// What may be shown of libcurl's words.
  func shownWords(_ text: String) -> String { Redaction.words(text, quoting: proxies) }
}
