package import DownloadCore
internal import Glibc

/// The files that options name.
package enum NamedFiles {
  /// What cannot be done with a file.
  package enum Use: String { case read, write }

  /// Whether two paths lead to the same file or directory, which exists.
  package static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard let first = stat(of: one), let second = stat(of: other) else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// A usage error that names the option, the file and the cause.
  package static func failure(
    _ use: Use, _ path: [UInt8], of option: Phrase, _ errno: Int32, hint: Phrase? = nil
  ) -> Failure {
    Failure(
      .usage, words: "\(option): cannot \(use.rawValue) \(shown(path)): \(SystemMessages.reason(errno))", hint: hint,
      about: [option])
  }

  /// The path as messages show it.
  package static func shown(_ path: [UInt8]) -> String { Diagnostic.escaped(Redaction.argument(path)) }
}
