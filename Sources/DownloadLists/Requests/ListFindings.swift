package import DownloadCore
package import DownloadWords

/// What the check of lists found.
package struct ListFindings {
  /// The origins that the command line itself names. Headers and credentials may be sent to them.
  package var namedOrigins: Set<Origin> = []
  /// What is wrong with the first invalid entries.
  package private(set) var problems: [Failure] = []
  /// The number of invalid entries. With `--keep-going` there may be more than `problems`.
  package private(set) var problemCount = 0
  /// Whether the log would write into a file that is wanted.
  package private(set) var isLogTarget = false
  /// Whether the run may start without the invalid entries.
  package private(set) var mayGoOn: Bool

  init(keepsGoing: Bool) { mayGoOn = keepsGoing }

  /// - Parameter isOfList: whether the entry is of a list, and not of the command line.
  package mutating func add(_ problem: Failure, isOfList: Bool) {
    problemCount += 1
    if problems.count < UsageErrors.mostOfFile { problems.append(problem) }
    if !isOfList { mayGoOn = false }
  }

  /// A target that the run writes for another purpose: a mistake of the command line.
  package mutating func add(_ conflict: OwnFiles.Conflict) {
    add(conflict.error, isOfList: false)
    if conflict.isWithLog { isLogTarget = true }
  }

  /// What invalid entries, which the command did without, make of its status.
  package var status: ExitStatus { problems.isEmpty ? .success : .usage }

  /// Whether so many problems are known that the others are not looked for.
  var areEnough: Bool { !mayGoOn && problemCount >= UsageErrors.mostOfFile }
}
