/// A user name and its password. Secret.
package struct Credentials: Hashable, Sendable {
  /// Any bytes, but for NUL.
  package let name: [UInt8]
  package let password: [UInt8]

  package init(name: [UInt8], password: [UInt8]) {
    self.name = name
    self.password = password
  }

  /// - Parameter userinfo: `name:password`; without a colon the password is empty.
  package init(userinfo: String) {
    let parts = userinfo.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    self.init(name: Array(parts[0]), password: parts.count > 1 ? Array(parts[1]) : [])
  }
}
