internal import DownloadWords

/// How a command ends.
package struct RunResult {
  let status: ExitStatus
  /// What the process ends with, 0 to 255.
  package let code: Int32
  /// Whether the process must end without waiting for its threads: after an interruption they may still wait for a disk
  /// or a name server.
  package let mustNotWait: Bool

  init(_ status: ExitStatus, mustNotWait: Bool = false) {
    self.status = status
    self.mustNotWait = mustNotWait
    code = status.rawValue
  }

  /// - Parameter code: of `swiftget ctl`, whose numbers are its own.
  init(control code: Int32) {
    status = code == 0 ? .success : .other
    mustNotWait = false
    self.code = code
  }
}
