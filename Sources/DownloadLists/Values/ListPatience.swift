package import DownloadCore

/// What ends the wait for a list that comes through a pipe.
package struct ListPatience: Sendable {
  var deadline: RunDeadline?
  /// They are blocked during the wait, which one of them ends.
  var signals: [Int32]

  package init(until deadline: RunDeadline? = nil, signals: [Int32] = []) {
    self.deadline = deadline
    self.signals = signals
  }
}
