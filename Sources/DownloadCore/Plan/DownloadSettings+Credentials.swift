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
