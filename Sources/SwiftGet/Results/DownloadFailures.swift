/// Several files were wanted, and not all of them arrived.
public struct DownloadFailures: Error, Sendable, CustomStringConvertible {
  /// Those that arrived and those that did not, in the order in which they were wanted.
  public let results: [Result<DownloadedFile, DownloadError>]

  /// - Throws: `DownloadFailures` if a file is missing.
  static func files(of results: [Result<DownloadedFile, DownloadError>]) throws -> [DownloadedFile] {
    let failures = DownloadFailures(results: results)
    let files = failures.files
    if files.count < results.count { throw failures }
    return files
  }

  /// Those of the files that did not arrive.
  public var errors: [DownloadError] {
    results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
  }

  /// Those that arrived.
  public var files: [DownloadedFile] { results.compactMap { try? $0.get() } }

  /// The exit status with which the command `swiftget` ends for them.
  public var exitStatus: Int32 {
    let statuses = Set(errors.map(\.exitStatus))
    return DownloadError.Code.precedence.first(where: statuses.contains) ?? 1
  }

  /// Every error on a line of its own.
  public var description: String {
    let errors = errors
    return (["\(errors.count) of \(results.count) files are missing"] + errors.map { "\($0)" }).joined(separator: "\n")
  }
}
