internal import DownloadCore
internal import DownloadEngine

/// What only the caller can decide. A question is asked only if its closure is there; the task waits for the answer, and
/// others go on.
///
/// The closures run in Swift tasks of their own. If one throws an error, the question is asked again after a while, as often
/// as a file is tried; then the task fails, and its bytes are kept. A `DownloadError` with `invalidRequest` or `invalidValue`
/// fails it at once. No answer never means yes.
public struct DownloadPolicy: Sendable {
  /// Whether a file may get its name.
  public enum Verdict: Hashable, Sendable {
    /// It may.
    case accept
    /// It is wrong. The task fails with `integrity` and this reason. The content is set aside as `NAME.swiftget-bad`, where
    /// only its owner may read it.
    case reject(String)
  }

  /// Where a file is fetched from.
  public struct Source: Hashable, Sendable {
    /// A URL in place of the request's first one; nil leaves it.
    public var url: String?
    /// Header fields besides those of the request; one of the same name takes its place. Their values appear nowhere.
    public var headers: [HeaderField]

    /// - Parameters:
    ///   - url: in place of the request's first one; nil leaves it.
    ///   - headers: besides those of the request.
    public init(url: String? = nil, headers: [HeaderField] = []) {
      self.url = url
      self.headers = headers
    }
  }

  /// A server's demand for other credentials.
  public struct Challenge: Hashable, Sendable {
    /// The task.
    public let task: DownloadTaskSnapshot
    /// What the server has refused.
    public let refusal: DownloadError
  }

  /// From where a file is fetched, which is asked before each beginning; nil is what the request says. When servers have
  /// refused the file it is asked once more, with the refusal, and the file begins again with the answer; nil fails the task
  /// then. For links and tokens that expire.
  public var source: (@Sendable (DownloadTaskSnapshot, _ refusal: DownloadError?) async throws -> Source?)?
  /// Who logs in, when a server has refused the credentials of a task or wants some; nil fails the task. It is asked again
  /// only if bytes have come meanwhile.
  public var credential: (@Sendable (Challenge) async throws -> DownloadCredential?)?
  /// Whether an answer may be the file. It is asked about the first answer with content each time a file begins over HTTP,
  /// before anything is stored; for pages that a server sends in place of a file, for example. If it is false the task fails
  /// with `refused`, its bytes are kept, and `source` is asked for another URL.
  public var accepts: (@Sendable (ResponseHead, DownloadTaskSnapshot) async throws -> Bool)?
  /// Whether a complete file, which has the checksums of its request, may get its name. It is asked about every file that is
  /// fetched.
  public var validate: (@Sendable (UnpublishedDownload) async throws -> Verdict)?
  /// How a file is to be called whose request names none; nil leaves it the last segment of the URL. Only the last component
  /// of the answer counts, without a dot at its beginning.
  public var name: (@Sendable (UnnamedDownload) async throws -> String?)?
  /// How long an answer may take; then the question is asked again, as often as a file is tried. Nil is unlimited.
  public var timeLimit: Duration? = .seconds(30)

  /// A policy that decides nothing.
  public init() {}
}

/// A complete file that has no name yet.
public struct UnpublishedDownload: Hashable, Sendable {
  /// Where the content is. It may only be read, and only until the answer.
  public let path: String
  /// The original URL.
  public let url: String
  /// Bytes.
  public let size: Int64

  init(_ file: UnpublishedFile) {
    path = String(decoding: file.path, as: UTF8.self)
    url = file.url.text
    size = file.byteCount
  }
}

/// A file that may be named. Its first answer with content is there, and nothing is stored yet.
public struct UnnamedDownload: Hashable, Sendable {
  /// The task.
  public let task: DownloadTaskID
  /// The original URL.
  public let url: String
  /// The URL that has answered, after redirects.
  public let finalURL: String
  /// The value of `Content-Disposition`; nil without one.
  public let contentDisposition: String?
  /// The name that `Content-Disposition` suggests, made safe; nil if it suggests none.
  public let suggestedName: String?

  init(_ file: AnsweredFile) {
    task = DownloadTaskID(file.request.task)
    url = file.request.mirrors[0].location.text
    finalURL = file.answer.location.text
    contentDisposition = file.contentDisposition.map { String(decoding: $0, as: UTF8.self) }
    suggestedName = file.contentDisposition.flatMap(ContentDisposition.fileName).flatMap(TargetName.fromServer).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
