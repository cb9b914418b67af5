import Testing

@testable import DownloadTransport

@Suite struct `Hosts without a proxy` {
  @Test(arguments: [
    ("*", "h"), (" * ", "[::1]"), ("h", "h"), ("a,h", "h"), ("a h", "h"), ("a,\th,", "h"), ("H.Example", "h.example"),
    ("example", "h.example"), (".example", "h.example"), (".example", "example"), ("example.", "h.example"),
    ("example", "h.example."), ("127.0.0.1", "127.0.0.1"), ("127.0.0.0/8", "127.9.9.9"), ("10.1.0.0/15", "10.0.0.1"),
    ("0.0.0.0/0", "1.2.3.4"), ("192.168.1.128/25", "192.168.1.200"), ("::1", "[::1]"), ("[::1]", "[::1]"),
    ("[0:0::1]", "[::1]"), ("::1/128", "[::1]"), ("[::1]/128", "[::1]"), ("fd00::/8", "[fd12:3::4]"),
    ("fe80::/10", "[febf::1%25eth0]"),
    ("2001:db8::/33", "[2001:db8:7fff::1]"), ("::/0", "[2001:db8::1]"),
  ])
  func `are names with their subdomains, addresses and networks`(list: String, host: String) {
    #expect(NoProxy(list).covers(host), "\(list)")
  }

  @Test(arguments: [
    ("", "h"), (",", "h"), ("*,a", "h"), ("*.example", "h.example"), ("example", "xexample"), ("h.example", "example"),
    ("127.0.0.1", "127.0.0.2"), ("127.0.0.0/8", "128.0.0.1"), ("192.168.1.128/25", "192.168.1.127"),
    ("0.0.0.1", "127.0.0.1"), ("1", "127.0.0.1"), ("10.0.0.0/33", "10.0.0.1"), ("10.0.0.0/x", "10.0.0.1"),
    ("10.0.0.0/-1", "10.0.0.1"), ("::1", "[::2]"), ("fd00::/8", "[fe00::1]"), ("2001:db8::/33", "[2001:db8:8000::1]"),
    ("::/0", "1.2.3.4"), ("0.0.0.0/0", "[::1]"), ("[::1", "[::1]"), ("::/129", "[::1]"),
  ])
  func `are no others`(list: String, host: String) { #expect(!NoProxy(list).covers(host), "\(list)") }
}
