internal import CSwiftGetShims
internal import DownloadFiles
internal import Glibc

/// A file system without some calls, drawn at random. The fault table applies it within a process, `FailingCalls` to a program.
package struct DrawnFileSystem: CustomStringConvertible, Sendable {
  private var lacks: [(call: SystemCall, name: String, flags: Int32, errno: Int32)] = []
  /// Whether names that differ in case are one. Programs only.
  package private(set) var folds = false
  /// The most bytes of a name. Programs only.
  package private(set) var nameLimit: Int?
  /// The bytes that can be written. Programs only.
  package private(set) var room: Int?

  package init(using generator: inout some RandomNumberGenerator) {
    func isDrawn(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
    func lack(_ calls: [(SystemCall, String, Int32)], _ errnos: [Int32]) {
      for (call, name, flags) in calls {
        lacks.append((call, name, flags, errnos.randomElement(using: &generator)!))
      }
    }
    let unknown = [EINVAL, EOPNOTSUPP, ENOSYS]
    if isDrawn(2) { lack([(.fsync, "fsync", 0), (.fdatasync, "fdatasync", 0), (.syncfs, "syncfs", 0)], unknown) }
    if isDrawn(3) { lack([(.flock, "flock", 0)], [ENOLCK, EOPNOTSUPP, ENOSYS]) }
    let hasLinks = !isDrawn(3)
    if !hasLinks { lack([(.linkat, "linkat", 0)], [EPERM, EOPNOTSUPP, ENOSYS]) }
    if !hasLinks || isDrawn(2) { lack([(.openat, "O_TMPFILE", FILE_O_TMPFILE)], [EOPNOTSUPP, EISDIR, EINVAL]) }
    if isDrawn(2) { lack([(.renameat, "renameat2", Int32(FILE_RENAME_NOREPLACE))], [EINVAL, ENOSYS]) }
    if isDrawn(3) { lack([(.fchmod, "fchmod", 0), (.futimens, "futimens", 0)], [EPERM]) }
    if isDrawn(2) {
      let calls: [(SystemCall, String, Int32)] = [
        (.fsetxattr, "fsetxattr", 0), (.fgetxattr, "fgetxattr", 0), (.getxattrat, "getxattrat", 0),
      ]
      lack(calls, [EOPNOTSUPP])
    }
    if isDrawn(4) { lack([(.fstatfs, "fstatfs", 0), (.syncFileRange, "sync_file_range", 0)], [ENOSYS]) }
    folds = isDrawn(3)
    if isDrawn(3) { nameLimit = 143 }
    if isDrawn(4) { room = Int.random(in: 0...4_000_000, using: &generator) }
  }

  package var faults: [Fault] {
    lacks.map { Fault($0.call, flags: $0.flags, persists: true, .failure($0.errno)) }
  }

  /// As `FAILING_CALLS` has them.
  package var failingCalls: [String: Int32] {
    var calls = Dictionary(uniqueKeysWithValues: lacks.map { ($0.name, $0.errno) })
    if folds {
      calls["fold"] = 1
      // Attributes are read by names that are not folded.
      (calls["fsetxattr"], calls["fgetxattr"]) = (EOPNOTSUPP, EOPNOTSUPP)
    }
    if let nameLimit {
      calls["namemax"] = Int32(nameLimit)
      calls["fstatfs"] = nil
    }
    if let room { calls["room"] = Int32(room) }
    return calls
  }

  package var description: String { failingCalls.map { "\($0)=\($1)" }.sorted().joined(separator: " ") }
}
