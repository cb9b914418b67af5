/// Credentials and cookies. None is ever shown.
package struct Secrets: Sendable, Equatable {
  /// `user:password`, or with a netrc file `user`; sent only to origins that the user named.
  package var user: String?
  package var usesNetrc = false
  package var netrcFile: String?
  /// The netrc file of the run; nil for none.
  package var netrc: NetrcPlace? { netrcFile.map(NetrcPlace.named) ?? (usesNetrc ? .usual : nil) }
  /// What was read from the netrc files of the run and of hosts.
  package var netrcFiles: [NetrcPlace: NetrcFile] = [:]
  /// The passphrase of the client's private key.
  package var clientKeyPassword: String?
  /// Nil keeps no cookies; those in `TransportSettings.headers` are sent all the same.
  package var cookies: Cookies?

  package init() {}

  /// Cookies, which all exchanges of the run share.
  package struct Cookies: Sendable, Equatable {
    /// Lines of a `CookieFile`.
    package var loaded: [[UInt8]]
    /// The file that cookies are saved to at the end of the run; nil saves none.
    package var jar: [UInt8]?

    package init(loaded: [[UInt8]] = [], jar: [UInt8]? = nil) {
      self.loaded = loaded
      self.jar = jar
    }
  }

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
