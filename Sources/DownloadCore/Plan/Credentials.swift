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

extension DownloadSettings {
  /// Who logs in at an origin that the user has named; nil for nobody.
  ///
  /// A name and password of `userinfo`, of the host's settings or of the run come first, in this order. A name alone has
  /// the password that the netrc file knows for it, else an empty one.
  ///
  /// - Parameters:
  ///   - userinfo: of the URL, `user:password` or `user`.
  ///   - own: what differs for the host.
  package func credentials(for origin: Origin, userinfo: String?, _ own: HostSettings?) -> Credentials? {
    let user = userinfo ?? own?.user ?? self.user
    if let user, user.utf8.contains(UInt8(ascii: ":")) { return Credentials(userinfo: user) }
    let file = (own?.netrc ?? netrc).flatMap { netrcFiles[$0] }
    let login = user.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    return file?.credentials(for: origin.host, port: origin.port, login: login) ?? user.map(Credentials.init(userinfo:))
  }
}
