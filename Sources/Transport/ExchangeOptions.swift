import DownloadCore

/// What an exchange needs beyond its order: chosen by the engine, which knows whose credentials may go where.
package struct ExchangeOptions: Sendable {
  /// The origin was named by the user: custom headers and credentials may go there.
  package var isTrusted: Bool
  /// Header lines of this request alone, for trusted origins.
  package var headers: [String]
  /// `user:password`, already chosen for this origin.
  package var userinfo: String?
  /// Must not share a multiplexed connection.
  package var isSeparate: Bool
  /// libcurl's receive buffer, bytes.
  package var bufferByteCount: Int

  package init(
    isTrusted: Bool, headers: [String] = [], userinfo: String?, isSeparate: Bool, bufferByteCount: Int
  ) {
    self.isTrusted = isTrusted
    self.headers = headers
    self.userinfo = userinfo
    self.isSeparate = isSeparate
    self.bufferByteCount = bufferByteCount
  }
}

/// Exchanges of one profile differ in URL and range only.
struct ExchangeProfile: Hashable {
  let isTrusted: Bool
  let isSeparate: Bool
  let bufferByteCount: Int
  let scheme: Location.Scheme

  /// Nil where the exchange has settings of its own.
  init?(_ options: ExchangeOptions, _ order: TransferOrder) {
    guard options.headers.isEmpty, options.userinfo == nil, order.condition == nil else { return nil }
    scheme = order.location.scheme
    isTrusted = options.isTrusted
    isSeparate = options.isSeparate
    bufferByteCount = options.bufferByteCount
  }
}
