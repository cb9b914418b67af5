/// The extended attributes that swiftget writes and reads.
package enum AttributeName: String, CaseIterable, Sendable {
  /// Where the file came from, without userinfo and query (freedesktop.org).
  case originURL = "user.xdg.origin.url"
  /// The strong entity tag of the answer that brought the file, as in a header. Written by `--timestamping` only.
  case entityTag = "user.swiftget.etag"
  /// A `VerifiedMark`.
  case verified = "user.swiftget.verified"
  /// Hexadecimal SHA-256, in the format of `shatag` and `cshatag`.
  case shatagDigest = "user.shatag.sha256"
  /// The modification time that `shatagDigest` belongs to, in whole seconds.
  case shatagTime = "user.shatag.ts"
}
