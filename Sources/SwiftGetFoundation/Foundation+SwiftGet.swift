public import Foundation
@_exported public import SwiftGet

extension DownloadRequest {
  /// - Parameters:
  ///   - url: http or https.
  ///   - directory: a file URL; nil is the session's directory.
  ///   - name: of the file; nil is the last segment of the URL's path.
  ///   - checksum: of the whole file.
  ///   - key: the caller's own name for the task, unique in its session.
  ///   - group: the group to which the task belongs; nil is `main`.
  public init(
    _ url: URL, into directory: URL? = nil, name: String? = nil, checksum: FileChecksum? = nil, key: String? = nil,
    group: String? = nil
  ) {
    self.init(
      url.absoluteString, into: directory?.path(percentEncoded: false), name: name, checksum: checksum, key: key,
      group: group)
  }
}

/// Downloads a file. When it returns, the file is whole, verified and on stable storage.
///
/// - Parameters:
///   - url: http or https.
///   - directory: a file URL; nil is the working directory.
///   - name: of the file; nil is the last segment of the URL's path.
///   - checksum: of the whole file.
///   - onProgress: called on the caller's isolation, now and then.
/// - Throws: `DownloadError`; `CancellationError` if the Swift task is cancelled, which keeps the bytes: the same call goes
///   on with them.
@discardableResult
public nonisolated(nonsending) func download(
  _ url: URL, into directory: URL? = nil, name: String? = nil, checksum: FileChecksum? = nil,
  onProgress: (DownloadProgress) -> Void = { _ in }
) async throws -> DownloadedFile {
  try await download(DownloadRequest(url, into: directory, name: name, checksum: checksum), onProgress: onProgress)
}

extension DownloadedFile {
  /// The file's URL.
  public var url: URL { URL(filePath: path, directoryHint: .notDirectory) }
}

extension DownloadTask.Snapshot {
  /// When the task began for the first time; nil if it has not.
  public var startDate: Date? { startedSince1970.map(Date.init(since1970:)) }
  /// When the task settled; nil while it is unsettled.
  public var endDate: Date? { endedSince1970.map(Date.init(since1970:)) }
}

extension DownloadSelector {
  /// By one of its URLs, as it was given.
  public static func url(_ url: URL) -> DownloadSelector { .url(url.absoluteString) }
}

extension Date {
  fileprivate init(since1970 duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(timeIntervalSince1970: Double(seconds) + Double(attoseconds) / 1e18)
  }
}
