import Testing

@testable import DownloadCore

@Suite struct `Families of addresses` {
  private let server = Origin(scheme: .https, host: "h", port: 443)

  @Test func `a silent one is followed by the other, and back`() {
    var families = AddressFamilies()
    #expect(families.family(for: server) == .any)
    for silence in [TransferFault.stalled, .connectTimeout] {
      let first = families.failed(server, silence, over: .ipv6, asked: families.family(for: server))
      #expect(first == silence && families.family(for: server) == .ipv4)
      let second = families.failed(server, silence, over: .ipv4, asked: .ipv4)
      #expect(second == silence && families.family(for: server) == .ipv6)
    }
    #expect(families.family(for: Origin(scheme: .http, host: "h", port: 80)) == .any)
  }

  @Test func `that a name has no address of one costs no attempt, and may change`() {
    var families = AddressFamilies()
    _ = families.failed(server, .stalled, over: .ipv4, asked: .any)
    #expect(families.family(for: server) == .ipv6)
    let fault = families.failed(server, .nameLookup("x"), over: nil, asked: .ipv6)
    #expect(fault.kind == .unanswered && families.family(for: server) == .any)
    _ = families.failed(server, .stalled, over: .ipv4, asked: .any)
    #expect(families.family(for: server) == .ipv6)
    _ = families.failed(server, .nameLookup("x"), over: nil, asked: .ipv6)
    #expect(families.failed(server, .nameLookup("x"), over: nil, asked: .any) == .nameLookup("x"))
  }

  @Test func `one that cannot be reached leaves the choice, and other faults tell nothing`() {
    var families = AddressFamilies()
    for fault in [TransferFault.reset("x"), .emptyReply, .status(500), .connectRefused()] {
      #expect(families.failed(server, fault, over: .ipv6, asked: .any) == fault && families.family(for: server) == .any)
    }
    #expect(families.failed(server, .stalled, over: nil, asked: .any) == .stalled)
    #expect(families.family(for: server) == .any)
    _ = families.failed(server, .stalled, over: .ipv6, asked: .any)
    let refusal = families.failed(server, .connectRefused(), over: nil, asked: .ipv4)
    #expect(refusal.kind == .unanswered && families.family(for: server) == .any, "there may be no way to that family")
  }

  @Test(arguments: ["127.0.0.1", "::1", "[::1]"]) func `an address has no other family`(host: String) {
    var families = AddressFamilies()
    let server = Origin(scheme: .https, host: host, port: 443)
    #expect(families.failed(server, .stalled, over: .ipv4, asked: .any) == .stalled)
    #expect(families.family(for: server) == .any)
  }
}
