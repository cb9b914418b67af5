internal import DownloadCore
internal import Transport

/// How the limits of the rate act on transfers.
extension EngineLoop {
  /// Ends transfers on shared connections where a limit has begun; each begins again on a connection of its own.
  func separateTransfers() {
    guard rates.takeSeparation() else { return }
    for transfer in Array(transfers.all)
    where !transfer.exchange.isSeparate && !transfer.isDead && !transfer.hasEnded {
      guard transfer.exchange.order.location.scheme.isEncrypted else { continue }
      loop.stop(transfer.exchange)
      ended(transfer, .stopped)
    }
  }

  /// Lets throttled transfers go on, as far as the limits admit.
  func resumeThrottled() {
    guard rates.beginRound() else { return }
    while let id = rates.next() {
      // libcurl delivers the paused bytes at once, so the pause does not count as a stall.
      if let transfer = transfers[id] { loop.unpause(transfer.exchange) }
    }
  }
}
