/// One wanted file: where it may come from, where it goes, and what would prove it right.
package struct DownloadRequest: Sendable, Equatable {
  /// Position in the input, counted from 0.
  package var item: Int
  /// At least one; the first is the original that names the download.
  package var mirrors: [MirrorURL]
  package var target: TargetChoice
  /// What the user or the manifest says of the content; any of them must fit.
  package var digests: [ContentDigest]
  /// What the manifest says of the file's pieces.
  package var pieces: PieceHashes?
  /// What the manifest says of the length.
  package var expectedLength: Int64?
  /// `Name: value` lines for origins that the user named.
  package var headers: [String]
  /// Where the manifest names it; nil for a URL of the command line.
  package var source: SourceLine?

  package init(
    item: Int, mirrors: [MirrorURL], target: TargetChoice, digests: [ContentDigest] = [],
    pieces: PieceHashes? = nil, expectedLength: Int64? = nil, headers: [String] = [], source: SourceLine? = nil
  ) {
    self.item = item
    self.mirrors = mirrors
    self.target = target
    self.digests = digests
    self.pieces = pieces
    self.expectedLength = expectedLength
    self.headers = headers
    self.source = source
  }
}

/// A line of a list, for messages: its text is made for the few that are shown.
package struct SourceLine: Sendable, Equatable {
  /// As it is shown.
  package var list: String
  package var number: Int

  package init(list: String, number: Int) {
    self.list = list
    self.number = number
  }

  /// `SHA256SUMS:17`.
  package var text: String { "\(list):\(number)" }
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

/// Where the bytes of a request go; raw bytes, as file names are.
package enum TargetChoice: Sendable, Equatable {
  /// A path that the user gave (`-o`), which may lead through links and out of the directory, as any path may.
  case path([UInt8])
  /// Components that a list or a URL gave, checked by `TargetName`: never out of the directory, never through a link.
  case listed([[UInt8]])
  case standardOutput

  /// What people read, relative to the directory of `-d`.
  package var name: [UInt8] {
    switch self {
    case .path(let path): path
    case .listed(let components): Array(components.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    case .standardOutput: Array("-".utf8)
    }
  }
}
