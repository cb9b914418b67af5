import DownloadCore

/// How one mirror serves one file. The default is a correct server.
struct Behaviour {
  enum Tags { case strong, rotating, weak, none }
  enum Framing {
    case length, chunked, closeDelimited
    /// Over HTTP/2 by the end of the stream, over HTTP/1.1 by chunks.
    case stream
  }
  enum Lie: CaseIterable {
    /// The head states a wrong start, or the body has another start than the requested one.
    case mislabelledStart, otherStart
    /// 206 of another version with the right validators and another complete length.
    case otherCompleteLength
    /// 206 of another version of the same length, without validators.
    case unvalidatedVersion
    /// 200 with an HTML page in answer to a range.
    case htmlPage
    case codedRange, rangeNotSatisfiable, wholeInsteadOfRange, oneByteRange, emptyRange
    case noContentRange, statusOutOfPlace
    /// Another version with the right validators. Only a digest detects it.
    case undetectableVersion
  }
  enum Redirect: Equatable {
    case none
    case chain(Int)
    case loop
    /// Each target answers 403 after this time.
    case expiring(Duration)
    /// Each target refuses connections after this time.
    case dying(Duration)
    /// The target answers 404.
    case absent
    /// To itself this many times, with a Retry-After of this many seconds.
    case waiting(seconds: Int, count: Int)
    /// Each target serves this many requests and then answers 403.
    case serving(count: Int)
  }

  /// Requests for content that are refused by their number.
  struct Refusal {
    enum Kind: CaseIterable { case range, whole, any }
    var kind: Kind
    /// Requests of this kind that are served before.
    var servedCount: Int
    /// Requests that are refused then; `Int.max` for all.
    var refusedCount: Int
    var status: Int
    /// Seconds.
    var retryAfter: Int?

    /// Takes another request.
    mutating func refuses(_ asked: AskedContent) -> Bool {
      guard kind == .any || (kind == .whole) == (asked == .whole) else { return false }
      if servedCount > 0 {
        servedCount -= 1
        return false
      }
      guard refusedCount > 0 else { return false }
      if refusedCount < .max { refusedCount -= 1 }
      return true
    }
  }

  var tags: Tags = .strong
  var tellsDate = true
  var framing: Framing = .length
  var servesRanges = true
  var status: Int?
  /// The version that this mirror serves instead of the current one.
  var otherVersion: SimulatedFile.Version?
  /// Every body ends after a random number of bytes in this range.
  var cut: ClosedRange<Int64>?
  /// Over HTTP/1.1, too.
  var speaksHTTP1 = true
  /// Cut close-delimited bodies look complete, and so do cut streams of HTTP/2.
  var hidesCuts = false
  /// Connections close without close_notify, so nothing confirms the end of a close-delimited body.
  var endsUnauthenticated = false
  /// Bodies of ranges end after this number of bytes.
  var rangeCut: Int64?
  /// The status of every answer to a range.
  var rangeStatus: Int?
  var lies: [Lie] = []
  var lieCount = Int.max
  var lieProbability = 0.5
  var redirect: Redirect = .none
  /// Answers contain a longer range than requested, or a shorter one of at least 16 KiB, and declare it. This is valid.
  var reshapesRanges = false
  var hidesCompleteLength = false
  /// The whole content is sent with a Content-Encoding.
  var isCoded = false
  /// The algorithms of the digests that answers claim for the whole content.
  var claims: [DigestAlgorithm] = []
  /// Strong tags name the mirror as well as the version.
  var hasOwnTags = false
  /// The probability that an answer lacks its tag, and its modification time.
  var tagGaps = 0.0
  var dateGaps = 0.0
  /// The modification time of every version, in seconds since 1970; nil for one of its own.
  var fixedDate: Int64?
  /// Answers have a `Date`.
  var tellsTime = true
  /// The probability that an answer is of `otherVersion`, as where several servers have one name.
  var otherVersionShare = 1.0
  /// Of answers to a plain GET, the part that is coded although nobody asks for it.
  var codedShare = 0.0
  /// A Content-Encoding that changes no bytes.
  var idleCoding: String?
  var refusals: [Refusal] = []
  /// Heads are random; see `DrawnAnswer`.
  var drawsHeads = false

  var isDying: Bool {
    if case .dying = redirect { true } else { false }
  }
}
