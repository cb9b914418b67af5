internal import DownloadFiles
internal import Glibc

/// Files that are replaced as a whole.
package enum ReplaceableFile {
  /// Refuses a path that leads to something else than a regular file, because a name would take its place. What a link
  /// leads to counts, too: `/dev/stdout` is a link to a pipe, a terminal or a file that somebody else has opened.
  package static func require(_ path: [UInt8]) throws(FileFailure) {
    guard let status = try? SystemCalls.fstatat(SystemCalls.workingDirectory, path) else { return }
    switch status.kind {
    case .regular: break
    case .directory: throw FileFailure(path, .obstacle(.directory))
    case .special: throw FileFailure(path, .obstacle(.special))
    case .symbolicLink:
      if SpecialLink.isOne(SystemCalls.workingDirectory, path) { throw FileFailure(path, .obstacle(.special)) }
    }
  }
}
