/// One wanted file: where it may come from, where it goes, and what would prove it right.
package struct DownloadRequest: Sendable, Equatable {
  /// Position in the input, counted from 0.
  package var item: Int
  /// At least one; the first is the original that names the download.
  package var mirrors: [MirrorURL]
  package var target: TargetChoice
  /// What the user or the manifest says of the content; any of them must fit.
  package var digests: [ContentDigest]
  /// What the manifest says of the length.
  package var expectedLength: Int64?
  /// `Name: value` lines for origins that the user named.
  package var headers: [String]
  /// `SHA256SUMS:17`, for messages.
  package var source: String?

  package init(
    item: Int, mirrors: [MirrorURL], target: TargetChoice, digests: [ContentDigest] = [],
    expectedLength: Int64? = nil, headers: [String] = [], source: String? = nil
  ) {
    self.item = item
    self.mirrors = mirrors
    self.target = target
    self.digests = digests
    self.expectedLength = expectedLength
    self.headers = headers
    self.source = source
  }
}

/// One URL that serves the file (Metalink's word), with the credentials that stood in it.
package struct MirrorURL: Sendable, Equatable {
  package var location: Location
  /// `user:password`, moved out of the URL; goes to the location's origin only and is never shown.
  package var userinfo: String?

  package init(location: Location, userinfo: String? = nil) {
    self.location = location
    self.userinfo = userinfo
  }
}

/// Where the bytes of a request go.
package enum TargetChoice: Sendable, Equatable {
  /// A path as the user or the list gave it; raw bytes, checked to be a safe name where a list gave it.
  case path([UInt8])
  /// Standard output, in order.
  case standardOutput

  /// What people read.
  package var name: [UInt8] {
    switch self {
    case .path(let path): path
    case .standardOutput: Array("-".utf8)
    }
  }
}
