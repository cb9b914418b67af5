internal import Glibc

/// Where connections may start from, as people name it.
package enum NetworkInterface {
  /// Whether the text is an IPv4 or IPv6 address, without brackets.
  package static func isAddress(_ text: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
  }

  /// Whether connections can be asked to start there: an address, or the name of an interface that this machine has now.
  package static func isOne(_ text: String) -> Bool { isAddress(text) || if_nametoindex(text) != 0 }
}
