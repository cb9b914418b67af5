/// Which of the user's names, passwords, header lines and certificates one request may carry.
///
/// The rule is the same for the first request of a mirror and for those along its redirects. What came with a URL stays
/// with that URL and its origin, what came with an entry of a list stays with the origins of that entry, and what holds
/// for the run goes to origins that the user named. The netrc file's entries for machines are outside of it: they name
/// the machine themselves (`RunSettings.credentials`).
package struct CredentialScope: Hashable, Sendable {
  /// `user:password` or `user` of the mirror's own URL.
  package var userinfo: String?
  /// Header lines of the request's entry.
  package var headers: [String]
  /// Whether the user named the origin: it may be sent `--user`, `--header`, `--referer`, `--cert` and `default` of the
  /// netrc file.
  package var isNamedByUser: Bool

  /// - Parameters:
  ///   - mirror: index into the request's mirrors. Mirrors that an answer named have higher ones, and nothing of their own.
  ///   - origin: of the URL that is asked: the mirror's, or that of a redirect's target.
  ///   - named: origins that the command line names.
  package init(of request: FileRequest, mirror: Int, at origin: Origin, named: Set<Origin>) {
    let isOfEntry = request.isNamedByUser && request.mirrors.contains { $0.location.origin == origin }
    isNamedByUser = isOfEntry || named.contains(origin)
    headers = isOfEntry ? request.headers : []
    let own = request.mirrors.indices.contains(mirror) ? request.mirrors[mirror] : nil
    userinfo = isNamedByUser && own?.location.origin == origin ? own?.userinfo : nil
  }
}
