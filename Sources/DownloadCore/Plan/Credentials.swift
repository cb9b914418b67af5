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
  /// Who logs in at an origin; nil for nobody.
  ///
  /// A name and password of the URL, of the host's settings or of the run come first, in this order. A name alone has
  /// the password that the netrc file knows for it, else an empty one. An origin that the user has not named gets only
  /// what the netrc file says about its machine, and that over TLS only, for without it anybody can pretend to be the
  /// machine.
  ///
  /// - Parameter own: what differs for the host.
  package func credentials(for origin: Origin, _ scope: CredentialScope, _ own: HostSettings?) -> Credentials? {
    let file = (own?.netrc ?? netrc).flatMap { netrcFiles[$0] }
    guard scope.isNamedByUser else {
      guard origin.scheme.isEncrypted else { return nil }
      return file?.credentials(for: origin.host, port: origin.port, takesDefault: false)
    }
    let user = scope.userinfo ?? own?.user ?? self.user
    if let user, user.utf8.contains(UInt8(ascii: ":")) { return Credentials(userinfo: user) }
    let login = user.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    return file?.credentials(for: origin.host, port: origin.port, login: login) ?? user.map(Credentials.init(userinfo:))
  }
}
