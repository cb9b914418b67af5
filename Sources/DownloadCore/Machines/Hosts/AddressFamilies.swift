/// Over which family of addresses a server is asked next, where one of them connects and is silent.
///
/// any ──a connection brings no answer──► the other family ──that is silent, too──► the first one …
///                                                └──it cannot be reached there──► any
///
/// That a name has no address there may be said by mistake, and this machine may have no way to it. Both cost no attempt and
/// are not remembered.
package struct AddressFamilies: Sendable {
  package typealias Family = TransportSettings.AddressFamily

  private var chosen: [Origin: Family] = [:]

  package init() {}

  /// `any` where nothing is known against a family.
  package func family(for server: Origin) -> Family { chosen[server] ?? .any }

  /// A request got no answer.
  ///
  /// - Parameters:
  ///   - used: the family of its connection; nil if there was none.
  ///   - asked: what `family` returned for it.
  /// - Returns: the fault that counts. That a family has no address is none: the request is repeated at once.
  package mutating func failed(
    _ server: Origin, _ fault: TransferFault, over used: Family?, asked: Family
  ) -> TransferFault {
    switch fault {
    case .stalled, .connectTimeout:
      if let used, !Self.isAddress(server.host) { chosen[server] = used == .ipv6 ? .ipv4 : .ipv6 }
    case .nameLookup where asked != .any, .connectRefused where asked != .any, .connectFailed where asked != .any:
      chosen[server] = nil
      return .keptConnectionClosed
    case .connectRefused, .connectFailed: chosen[server] = nil
    default: break
    }
    return fault
  }

  /// Whether a host is an address, which has one family.
  private static func isAddress(_ host: String) -> Bool {
    host.utf8.contains(UInt8(ascii: ":"))
      || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }
}
