internal import DownloadCore
internal import Glibc
internal import DownloadTransport

/// What the system's resolver says about a host name. libcurl tells no reason where it finds no address.
enum HostLookup: Sendable {
  /// There is no such name, or it has no address.
  case unknown
  /// There is one now, or it is uncertain whether there is: the network may be down.
  case uncertain

  /// Blocks for as long as the resolver takes.
  static func of(_ host: String) -> HostLookup {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var addresses: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &addresses)
    if let addresses { freeaddrinfo(addresses) }
    // EAI_NODATA, which only GNU's header has, with _GNU_SOURCE.
    return code == EAI_NONAME || code == -5 ? .unknown : .uncertain
  }
}
