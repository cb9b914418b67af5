package import DownloadCore

/// Options of one exchange beyond its order. The engine chooses them, by the `CredentialScope` of the request.
package struct ExchangeOptions: Sendable {
  /// The user named the origin: custom header lines, the referer and the client certificate may be sent to it.
  package var isTrusted: Bool
  /// Header lines of this request only, for trusted origins.
  package var headers: [String]
  /// Header lines for the host, which replace those of the run with the same names; for trusted origins.
  package var hostHeaders: [String] = []
  /// The value of a Cookie field for this request only, whether or not its origin is trusted; nil for none.
  package var cookies: [UInt8]?
  /// Nil logs nobody in.
  package var credentials: Credentials?
  /// The family of addresses to connect to, unless the settings name one.
  package var addressFamily: TransportSettings.AddressFamily = .any
  /// What counts more for this request than the settings of the loop.
  package var task = Task.usual
  /// Must not share a multiplexed connection.
  package var isSeparate: Bool
  /// libcurl's receive buffer, bytes.
  package var bufferByteCount: Int

  package indirect enum Task: Sendable {
    case usual
    case own(TaskSettings)

    var settings: TaskSettings? { if case .own(let settings) = self { settings } else { nil } }
  }

  package init(
    isTrusted: Bool, headers: [String] = [], credentials: Credentials?, isSeparate: Bool, bufferByteCount: Int
  ) {
    self.isTrusted = isTrusted
    self.headers = headers
    self.credentials = credentials
    self.isSeparate = isSeparate
    self.bufferByteCount = bufferByteCount
  }
}

/// Exchanges with equal profiles differ only in URL, range and condition, so that one can reuse the other's easy handle.
struct ExchangeProfile: Hashable {
  let settingsNumber: Int
  let isTrusted: Bool
  let isSeparate: Bool
  let bufferByteCount: Int
  let scheme: Location.Scheme
  let credentials: Credentials?
  let hostHeaders: [String]
  let addressFamily: TransportSettings.AddressFamily
  let bypassesProxy: Bool?
  /// The handle has a nonce of this origin.
  let digestOrigin: Origin?

  /// Nil where the exchange has individual options.
  init?(
    _ options: ExchangeOptions, _ order: TransferOrder, settingsNumber: Int, usesDigest: Bool, bypassesProxy: Bool?
  ) {
    guard options.headers.isEmpty, options.cookies == nil, options.task.settings == nil, order.purpose != .head else {
      return nil
    }
    self.settingsNumber = settingsNumber
    scheme = order.location.scheme
    credentials = options.credentials
    digestOrigin = usesDigest ? order.location.origin : nil
    isTrusted = options.isTrusted
    hostHeaders = options.hostHeaders
    addressFamily = options.addressFamily
    self.bypassesProxy = bypassesProxy
    isSeparate = options.isSeparate
    bufferByteCount = options.bufferByteCount
  }
}
