internal import DownloadCore
internal import Glibc
internal import Transport

extension EngineLoop {
  /// Asks once more for a host that libcurl has not found, to tell a mistyped name from a network that is down.
  ///
  /// - Returns: whether the transfer's end waits for that.
  func repeatsLookup(of transfer: Transfer) -> Bool {
    let exchange = transfer.exchange
    // The name of a proxy may be the one that was not found. Where a family has no address the name may have others.
    guard !transfer.hasRepeatedLookup, !exchange.mayUseProxy, exchange.askedFamily == .any else { return false }
    transfer.hasRepeatedLookup = true
    let host = exchange.order.location.host
    if let waiting = lookups[host] {
      lookups[host] = waiting + [transfer]
    } else {
      let (resolver, replies) = (resolver, workers.client.replies)
      // It leaves nothing behind: where the run ends first nobody waits for it.
      guard WorkerThread({ replies.post(.lookedUp(host: host, resolver(host))) }) != nil else { return false }
      lookups[host] = [transfer]
    }
    transfer.awaitsLookup = true
    return true
  }

  func lookedUp(_ host: String, _ lookup: HostLookup) {
    for transfer in lookups.removeValue(forKey: host) ?? [] where !transfer.isDead {
      transfer.awaitsLookup = false
      let detail = "Could not resolve host: \(host)"
      switch lookup {
      case .unknown: ended(transfer, .failed(.unknownHost(detail)))
      case .uncertain: ended(transfer, .failed(.nameLookup(detail)))
      }
    }
  }
}
