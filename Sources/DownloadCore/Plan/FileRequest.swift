/// One wanted file: its mirrors, its target and what is known about its content.
package struct FileRequest: Sendable, Equatable {
  /// In a run for one list, the position in it.
  package var task: TaskID
  /// At least one.
  package var mirrors: [MirrorURL]
  package var target: TargetChoice
  /// Whether the server's answer may name the file. `target` then has the directory, and the name if the server
  /// suggests none. Requires a `listed` target.
  package var isNamedByAnswer = false
  /// Whether an answer has named the file. Such a name replaces no file that is not marked as coming from this URL.
  package var isNamedByNetwork = false
  /// Expected digests from the user or the list. All must match.
  package var digests: [ContentDigest]
  /// Whether the list has a digest of an algorithm that is not known. It is in none of the properties.
  package var hasUnknownDigest = false
  /// Whether a list names a target outside of the directory of the run. A file there is replaced only if it bears the
  /// mark of an earlier run.
  package var isOutside = false
  /// Piece digests from the list.
  package var pieces: PieceHashes?
  /// The length from the list.
  package var expectedLength: Int64?
  /// Whether the command line or a local list names the mirrors. Headers and credentials go to no origin that only the
  /// network named.
  package var isNamedByUser = true
  /// `Name: value` lines for origins that the user named.
  package var headers: [String]
  /// What counts more for this file than the settings of the run.
  @inlinable package var settings: TaskSettings? {
    get { if case .own(let settings, _) = rarities { settings } else { nil } }
    set { rarities = Rarities(newValue, formerURL: formerURL) }
  }
  /// The URL of the file before the user or the policy named the first of `mirrors` in its place; nil if nobody has.
  @inlinable package var formerURL: Location? {
    get { if case .own(_, let formerURL) = rarities { formerURL } else { nil } }
    set { rarities = Rarities(settings, formerURL: newValue) }
  }
  /// The line of the list; nil for a URL of the command line.
  package var source: SourceLine?
  /// What commands may name it by, together with others, for example the list that it comes from.
  package var group = GroupID.main
  /// Of waiting items those with the highest priority come first.
  package var priority = 0

  /// What few requests have: a word in all others, which are copied often.
  @usableFromInline indirect enum Rarities: Equatable, Sendable {
    case none
    case own(TaskSettings?, formerURL: Location?)

    @usableFromInline init(_ settings: TaskSettings?, formerURL: Location?) {
      self = settings == nil && formerURL == nil ? .none : .own(settings, formerURL: formerURL)
    }
  }

  @usableFromInline var rarities = Rarities.none

  /// Identifies the download: the first of `mirrors`, or the one whose place it has taken.
  package var originalURL: Location { formerURL ?? mirrors[0].location }

  /// What is known about the content before the first answer, apart from pieces.
  package var stated: StatedContent {
    get { StatedContent(digests: digests, length: expectedLength) }
    set { (digests, expectedLength) = (newValue.digests, newValue.length) }
  }

  package init(
    task: TaskID, mirrors: [MirrorURL], target: TargetChoice, digests: [ContentDigest] = [],
    pieces: PieceHashes? = nil, expectedLength: Int64? = nil, headers: [String] = [], source: SourceLine? = nil
  ) {
    self.task = task
    self.mirrors = mirrors
    self.target = target
    self.digests = digests
    self.pieces = pieces
    self.expectedLength = expectedLength
    self.headers = headers
    self.source = source
  }
}

/// A line of a list, for messages.
package struct SourceLine: Sendable, Equatable {
  /// The list's name, escaped.
  package var list: String
  package var number: Int

  package init(list: String, number: Int) {
    self.list = list
    self.number = number
  }

  /// `SHA256SUMS:17`.
  package var text: String { "\(list):\(number)" }
}

/// One URL of the file, and the credentials that were in it.
package struct MirrorURL: Sendable, Equatable {
  package var location: Location
  /// `user:password` or `user` from the URL. Sent to the location's origin only, and never shown.
  package var userinfo: String?

  package init(location: Location, userinfo: String? = nil) {
    self.location = location
    self.userinfo = userinfo
  }
}

/// The target of a request, in raw bytes.
package enum TargetChoice: Sendable, Equatable {
  /// The user's own path (`-o`), which may go through links and out of the target directory.
  case path([UInt8])
  /// Components from a list or a URL, checked by `TargetName`. They stay below the target directory and follow no
  /// links.
  case listed([[UInt8]])
  case standardOutput
  /// Another descriptor that the program was started with.
  case inherited(Int32)
  /// An empty regular file that is open for appending. The caller owns the descriptor. It is for content that the program
  /// itself reads: it has no name, is not synced, and is emptied where a download starts over.
  case descriptor(Int32)

  /// Whether it is a descriptor and no file.
  package var isStream: Bool {
    switch self {
    case .standardOutput, .inherited, .descriptor: true
    case .path, .listed: false
    }
  }

  /// The name for messages, relative to the directory of `-d`.
  package var name: [UInt8] {
    switch self {
    case .path(let path): path
    case .listed(let components) where components.count == 1: components[0]
    case .listed(let components): Array(components.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    case .standardOutput: Array("-".utf8)
    case .inherited(let descriptor): Array("/dev/fd/\(descriptor)".utf8)
    case .descriptor(let descriptor): Array("descriptor \(descriptor)".utf8)
    }
  }
}
