internal import DownloadCore

/// `--deadline`: the end of the whole run, as after a signal, but that what is finished gets its name.
extension Engine {
  /// Stops the run where its time has come.
  func endAtDeadline() {
    guard end.stoppedBy == nil, settings.limits.deadline?.hasPassed ?? false else { return }
    end.stoppedBy = DownloadError(.runDeadline)
  }

  /// The workers have finished: what they were about to do at that time may have been all that was left.
  func settleDeadline() {
    guard let error = end.stoppedBy, case .runDeadline = error.cause else { return }
    if isNothingLeft { end.stoppedBy = nil } else { end.failureCodes.insert(error.code) }
  }
}
