internal import DownloadCore
internal import Glibc
internal import Transport

/// What the system's resolver says about a host name. libcurl tells no reason where it finds no address.
enum HostLookup: Sendable {
  /// There is no such name, or it has no address.
  case unknown
  /// There is one now, or it is uncertain whether there is: the network may be down.
  case uncertain

  /// Blocks for as long as the resolver takes.
  static func of(_ host: String) -> HostLookup {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var addresses: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &addresses)
    if let addresses { freeaddrinfo(addresses) }
    // EAI_NODATA, which only GNU's header has, with _GNU_SOURCE.
    return code == EAI_NONAME || code == -5 ? .unknown : .uncertain
  }
}

extension EngineLoop {
  /// Asks once more for a host that libcurl has not found, to tell a mistyped name from a network that is down.
  ///
  /// - Returns: whether the transfer's end waits for that.
  func repeatsLookup(of transfer: Transfer) -> Bool {
    let exchange = transfer.exchange
    // The name of a proxy may be the one that was not found. Where a family has no address the name may have others.
    guard !transfer.hasRepeatedLookup, !loop.mayUseProxy, exchange.askedFamily == .any else { return false }
    transfer.hasRepeatedLookup = true
    let host = exchange.order.location.host
    if let waiting = lookups[host] {
      lookups[host] = waiting + [transfer]
    } else {
      let (resolver, replies) = (resolver, workers.replies)
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
