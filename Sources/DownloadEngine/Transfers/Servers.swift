internal import DownloadCore
internal import DownloadTransport

/// How each server is asked: what the user has set for it, and what its answers and failures have told.
struct Servers {
  private let named: Set<Origin>
  /// What differs for hosts that were asked.
  private var hosts: [Origin: HostSettings] = [:]
  private var versions = ServerVersions()
  private var families = AddressFamilies()

  /// - Parameter named: origins that the command line names.
  init(named: Set<Origin>) { self.named = named }

  /// The hosts that were asked and for which something differs.
  var origins: some Collection<Origin> { hosts.keys }

  /// Nil where nothing differs for any host.
  mutating func settings(of origin: Origin, _ settings: TransportSettings) -> HostSettings? {
    if settings.hosts.isEmpty { return nil }
    if let known = hosts[origin] { return known }
    let found = settings.hosts.settings(for: origin.host)
    hosts[origin] = found
    return found
  }

  /// The settings of hosts are others now.
  mutating func forgetSettings() { hosts.removeAll() }

  /// - Parameters:
  ///   - host: the settings of the order's host.
  ///   - wantsOwnConnection: whether the transfer is to share no connection, if the server bears that.
  func options(
    for order: TransferOrder, of request: FileRequest, _ host: HostSettings?, _ secrets: Secrets,
    wantsOwnConnection: Bool, bufferByteCount: Int
  ) -> ExchangeOptions {
    let origin = order.location.origin
    let scope = CredentialScope(of: request, mirror: order.mirror, at: origin, named: named)
    let isSeparate =
      wantsOwnConnection || order.avoidsHTTP2 || versions.needsHTTP1(origin, isAfterBreak: order.isAfterBreak)
    var options = ExchangeOptions(
      isTrusted: scope.isNamedByUser, headers: scope.headers,
      credentials: secrets.credentials(for: origin, scope, host),
      isSeparate: isSeparate && !versions.needsHTTP2(origin), bufferByteCount: bufferByteCount)
    if let own = request.settings, own.changesTransport { options.task = .own(own) }
    if let host { options.hostHeaders = host.headers }
    options.addressFamily = families.family(for: origin)
    return options
  }

  /// An answer has begun.
  mutating func answered(_ exchange: Exchange) {
    versions.answered(exchange.order.location.origin, isSeparate: exchange.isSeparate)
  }

  /// - Returns: the result that counts for the file.
  mutating func ended(
    _ exchange: Exchange, _ result: ExchangeResult, version: TransportSettings.HTTPVersionChoice
  ) -> ExchangeResult {
    let origin = exchange.order.location.origin
    switch result {
    case .complete: versions.served(origin, isSeparate: exchange.isSeparate)
    case .unauthenticatedEnd, .stopped: break
    case .failed(let fault):
      // With --http2 a request offers HTTP/1.1 only where a body without a length needs it.
      if version == .automatic || version == .http2 && exchange.isSeparate {
        versions.failed(origin, fault, isSeparate: exchange.isSeparate)
      }
      guard exchange.head == nil else { break }
      return .failed(
        families.failed(origin, fault, over: exchange.route.usedFamily, asked: exchange.route.askedFamily))
    }
    return result
  }
}
