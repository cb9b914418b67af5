internal import DownloadCore

/// Downloads a file. When it returns, the file is whole, verified and on stable storage.
///
/// A file that is there and right is kept. All downloads of a process share connections and limits of hosts; two calls for
/// the same file share one transfer.
///
/// - Parameters:
///   - url: http or https.
///   - directory: where the file goes; it is made if it is missing.
///   - name: of the file; nil is the last segment of the URL's path.
///   - checksum: of the whole file.
///   - onProgress: called on the caller's isolation, now and then.
/// - Throws: `DownloadError`; `CancellationError` if the Swift task is cancelled, which keeps the bytes: the same call goes
///   on with them.
@discardableResult
public nonisolated(nonsending) func download(
  _ url: String, into directory: String = ".", name: String? = nil, checksum: FileChecksum? = nil,
  onProgress: (DownloadProgress) -> Void = { _ in }
) async throws -> DownloadedFile {
  try await download(
    DownloadRequest(url, into: directory, name: name, checksum: checksum), onProgress: onProgress)
}

/// Downloads a file. When it returns, the file is whole, verified and on stable storage.
///
/// - Parameters:
///   - request: the file. Key, group, priority and info mean nothing here.
///   - onProgress: called on the caller's isolation, now and then.
/// - Throws: `DownloadError`; `CancellationError` if the Swift task is cancelled, which keeps the bytes: the same call goes
///   on with them.
@discardableResult
public nonisolated(nonsending) func download(
  _ request: DownloadRequest, onProgress: (DownloadProgress) -> Void = { _ in }
) async throws -> DownloadedFile {
  let results = try await SharedDownloads.results([request]) { onProgress($0.progress) }
  guard let result = results.first else { throw SessionDriver.closed }
  return try result.get()
}

/// Downloads several files together.
///
/// - Parameters:
///   - requests: the files. Keys, groups, priorities and info mean nothing here.
///   - onProgress: called on the caller's isolation, now and then.
/// - Returns: the files in the order of the requests.
/// - Throws: `DownloadFailures` if one of them is missing, which has the others; `CancellationError` if the Swift task is
///   cancelled, which keeps the bytes: the same call goes on with them.
@discardableResult
public nonisolated(nonsending) func download(
  _ requests: [DownloadRequest], onProgress: (DownloadTotals) -> Void = { _ in }
) async throws -> [DownloadedFile] {
  try DownloadFailures.files(of: try await SharedDownloads.results(requests, onProgress: onProgress))
}
