@testable import DownloadCore
import TestSupport

/// HTTP/2, and addresses that are silent.
extension SimulatedDownload {
  /// How a request is sent, as the engine decides it.
  struct Manner {
    /// Over HTTP/1.1, on a connection of its own.
    var isSeparate = false
    var family = AddressFamilies.Family.any
  }

  func manner(of order: TransferOrder) -> Manner {
    let origin = order.location.origin
    let wantsOwnConnection = order.isSegment || items.count == 1
    return Manner(
      isSeparate: (wantsOwnConnection || order.avoidsHTTP2
        || versions.needsHTTP1(origin, isAfterBreak: order.isAfterBreak)) && !versions.needsHTTP2(origin),
      family: families.family(for: origin))
  }

  /// Learns from the end of a transfer how its server is asked next, as the engine does.
  ///
  /// - Returns: the ending that counts for the file.
  func judged(_ ending: TransferEnding, of transfer: Transfer) -> TransferEnding {
    let (origin, manner) = (transfer.order.location.origin, transfer.manner)
    switch ending {
    case .complete: versions.served(origin, isSeparate: manner.isSeparate)
    case .unauthenticatedEnd, .stopped: break
    case .failed(let fault):
      versions.failed(origin, fault, isSeparate: manner.isSeparate)
      // Clients prefer addresses of IPv6.
      let used = manner.family == .any ? .ipv6 : manner.family
      if !transfer.isAnswered {
        return .failed(families.failed(origin, fault, over: used, asked: manner.family))
      }
    }
    return ending
  }

  /// A fault of the address or the protocol, instead of an answer.
  func linkFault(_ host: Int, _ manner: Manner, isKept: Bool, _ latency: Duration) -> ServerAnswer? {
    if world.hosts[host].hasSilentAddress, manner.family != .ipv4, !isKept { return ServerAnswer(result: .silence) }
    let fault: TransferFault? =
      switch world.hosts[host].http2 {
      case .none, .served: nil
      case .refused: manner.isSeparate ? nil : .reset("HTTP/1.1 is required")
      case .broken: !manner.isSeparate && chance(0.3) ? .reset("stream error") : nil
      case .only: manner.isSeparate ? .tlsHandshake("no common protocol") : nil
      }
    return fault.map { ServerAnswer(result: .fault($0, after: latency)) }
  }

  private func usesHTTP2(_ host: Int, _ manner: Manner) -> Bool {
    world.hosts[host].http2 != .none && !manner.isSeparate
  }

  /// Makes it the head of the protocol that the request uses.
  func useProtocol(of order: TransferOrder, _ head: inout ResponseHead) {
    guard usesHTTP2(world.hostIndex(of: order.location), manner(of: order)) else { return }
    head.version = .http2
    head.isChunked = false
    head.connectionCloses = false
  }

  /// Breaks most streams of a host that fails at HTTP/2.
  func breakStream(_ answer: inout ServerAnswer, _ host: Int, _ manner: Manner) {
    guard world.hosts[host].http2 == .broken, usesHTTP2(host, manner), chance(0.8),
      case .head(let head, let target, var body, let after) = answer.result
    else { return }
    body.length = Int64.random(in: 0...body.length, using: &random)
    body.ending = .reset
    answer.result = .head(head, redirectTarget: target, body, after: after)
  }

  /// Whether a body that is cut looks complete. A stream of HTTP/2 may end by a reset without an error.
  func hidesCuts(_ source: Behaviour, _ head: ResponseHead) -> Bool {
    guard source.hidesCuts, head.contentLength == nil else { return false }
    return head.version == .http2 || head.isCloseDelimited
  }

  /// Takes a field as the parser does.
  func take(_ field: String, _ head: inout ResponseHead) {
    var fields = ResponseFields(head)
    Array(field.utf8).withUnsafeBytes {
      if let (field, length) = ResponseFields.field(of: $0) { fields.take($0, field, nameLength: length) }
    }
    head = fields.head
  }
}
