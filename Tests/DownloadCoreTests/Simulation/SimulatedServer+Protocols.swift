@testable import DownloadCore
import TestSupport

/// HTTP/2, and addresses that are silent.
extension SimulatedDownload {
  /// Whether the request goes to the address that clients prefer.
  func usesPreferredAddress(_ order: TransferOrder) -> Bool { true }

  private func usesHTTP2(_ order: TransferOrder) -> Bool {
    world.hosts[world.hostIndex(of: order.location)].http2 != .none
  }

  /// A fault of the protocol before the answer.
  func protocolFault(_ host: Int, _ order: TransferOrder) -> TransferFault? {
    switch world.hosts[host].http2 {
    case .none, .served: nil
    case .refused: usesHTTP2(order) ? .reset("HTTP/1.1 is required") : nil
    case .broken: usesHTTP2(order) && chance(0.5) ? .reset("stream error") : nil
    case .only: usesHTTP2(order) ? nil : .tlsHandshake("no common protocol")
    }
  }

  /// Makes it the head of the protocol that the request uses.
  func useProtocol(of order: TransferOrder, _ head: inout ResponseHead) {
    guard usesHTTP2(order) else { return }
    head.version = .http2
    head.isChunked = false
    head.connectionCloses = false
  }

  /// Whether a body that is cut looks complete. A stream of HTTP/2 may end by a reset without an error.
  func hidesCuts(_ source: Behaviour, _ head: ResponseHead) -> Bool {
    guard source.hidesCuts, head.contentLength == nil else { return false }
    return head.version == .http2 || head.isCloseDelimited
  }

  /// Takes a field as the parser does.
  func take(_ field: String, _ head: inout ResponseHead) {
    var fields = ResponseFields(head)
    Array(field.utf8).withUnsafeBytes { _ = fields.take($0) }
    head = fields.head
  }
}
