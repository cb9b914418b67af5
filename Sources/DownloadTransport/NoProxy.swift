internal import Glibc

/// The hosts that are asked without a proxy, as `--no-proxy` and the variable `no_proxy` name them.
///
/// Names, which stand for their subdomains too, addresses and networks such as `10.0.0.0/8` or `fd00::/8`, with or without
/// brackets around IPv6 addresses, separated by commas or blanks; `*` alone is all hosts. libcurl's own reading of the list
/// depends on its version: 7.88 knows no brackets, and those before 7.86 no networks.
struct NoProxy {
  private struct Network {
    let address: [UInt8]
    let bitCount: Int

    func contains(_ other: [UInt8]) -> Bool {
      guard other.count == address.count else { return false }
      let (bytes, bits) = (bitCount / 8, bitCount % 8)
      guard other.prefix(bytes) == address.prefix(bytes) else { return false }
      return bits == 0 || (other[bytes] ^ address[bytes]) >> (8 - bits) == 0
    }
  }

  private var isAll = false
  private var names: [String] = []
  private var networks: [Network] = []

  init(_ list: String) {
    isAll = list.split(whereSeparator: { " \t".contains($0) }) == ["*"]
    for entry in list.split(whereSeparator: { ", \t".contains($0) }) {
      let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      if let address = Self.address(parts[0]) {
        let most = address.count * 8
        // A network whose length is not understood is none.
        guard let bitCount = parts.count == 1 ? most : Int(parts[1]), (0...most).contains(bitCount) else { continue }
        networks.append(Network(address: address, bitCount: bitCount))
      } else {
        let name = entry.drop { $0 == "." }.lowercased()
        names.append(name.hasSuffix(".") ? String(name.dropLast()) : name)
      }
    }
  }

  /// The list of the settings, or else of the environment, as libcurl takes it.
  ///
  /// - Parameter value: that of a variable.
  static func named(by setting: String?, value: (String) -> String?) -> NoProxy? {
    (setting ?? value("no_proxy") ?? value("NO_PROXY")).map { NoProxy($0) }
  }

  /// - Parameter host: as in an `Origin`.
  func covers(_ host: String) -> Bool {
    if isAll { return true }
    if let address = Self.address(host[...]) { return networks.contains { $0.contains(address) } }
    let bare = host.hasSuffix(".") ? String(host.dropLast()) : host
    return names.contains { !$0.isEmpty && (bare == $0 || bare.hasSuffix("." + $0)) }
  }

  /// The 4 or 16 bytes of an address without its zone; nil for a name.
  private static func address(_ text: Substring) -> [UInt8]? {
    var text = text
    if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
    text = text.prefix { $0 != "%" }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, String(text), &bytes) == 1 { return bytes }
    }
    return nil
  }
}
