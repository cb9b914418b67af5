/// What is done with files that exist, and how a finished one is named, judged and kept.
package struct TargetSettings: Sendable, Equatable {
  package enum IfExists: String, Sendable, CaseIterable { case ask, keep, verify, replace, fail }
  /// The given URL, the one to which redirects have led, or the Content-Disposition field of the answer.
  package enum NameSource: String, Sendable {
    case url, answer
    case lastURL = "last-url"
  }

  package var ifExists: IfExists = .ask
  package var timestamping = false
  package var resumes = true
  /// What names a file that neither the command line nor a list names (`--name-from`).
  package var nameSource = NameSource.url
  /// Whether the network names files.
  package var takesSuggestedNames: Bool { nameSource != .url }
  /// Whether a coded answer fails the file, unless its name is usual for the coding (`--compressed`).
  package var refusesCodings = false
  /// What judges each file before it gets its name; nil is nothing.
  package var verifyCommand: VerifyCommand?
  /// Digests that outcomes of downloaded files have, whether or not one is expected (`--lock`).
  package var recordedAlgorithms: [DigestAlgorithm] = []

  package var syncs = true
  package var keepsRemoteTime = true

  package init() {}
}
