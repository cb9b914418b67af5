internal import Glibc

/// Where a list comes from, as far as it decides what it may say about places outside of the directory of the run.
package enum ListTrust: Sendable {
  /// A regular file that belongs to the user or to root.
  case own
  /// A regular file of another user.
  case foreign
  /// A pipe or the like: nobody knows who wrote it.
  case piped
  /// A URL.
  case fetched

  /// That of an open file.
  init(ofDescriptor descriptor: Int32) {
    guard let status = stat(of: descriptor), status.type == S_IFREG else {
      self = .piped
      return
    }
    self = status.st_uid == geteuid() || status.st_uid == 0 ? .own : .foreign
  }

  /// The list in messages.
  var words: String {
    switch self {
    case .own: "a list of your own"
    case .foreign: "a list of another user"
    case .piped: "a list that is no regular file"
    case .fetched: "a list from a URL"
    }
  }
}
