internal import Glibc

/// Where connections may start from, as people name it.
package enum NetworkInterface {
  /// Whether the text is an IPv4 or IPv6 address, without brackets.
  package static func isAddress(_ text: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
  }

  /// Whether this machine has an interface of this name now.
  package static func exists(_ name: String) -> Bool { if_nametoindex(name) != 0 }
}
