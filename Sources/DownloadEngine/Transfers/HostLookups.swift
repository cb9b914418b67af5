internal import DownloadCore
internal import DownloadTransport

/// Looks once more for hosts that libcurl has not found, to tell a mistyped name from a network that is down. The loop
/// does not wait for the resolver.
struct HostLookups {
  /// Transfers that wait for the answer, by host.
  private var waiting: [String: [Transfer]] = [:]
  /// Hosts for which there was no thread yet.
  private var queued = FIFO<String>()
  private var runningCount = 0
  /// Each takes a thread and descriptors.
  private static let mostRunning = 8
  /// Called on a thread of its own. Tests replace it.
  var resolver: @Sendable (String) -> HostLookup = HostLookup.of

  /// - Returns: whether the transfer's end waits for the answer, which comes as `WorkerReply.lookedUp`.
  mutating func repeats(_ transfer: Transfer, replies: Mailbox<WorkerReply>) -> Bool {
    let exchange = transfer.exchange
    // The name of a proxy may be the one that was not found. Where a family has no address the name may have others.
    guard !transfer.hasRepeatedLookup, !exchange.route.mayUseProxy, exchange.route.askedFamily == .any else {
      return false
    }
    transfer.hasRepeatedLookup = true
    let host = exchange.order.location.host
    if waiting[host] == nil {
      if runningCount >= Self.mostRunning {
        queued.append(host)
      } else if !start(host, replies) {
        return false
      }
    }
    waiting[host, default: []].append(transfer)
    transfer.awaitsLookup = true
    return true
  }

  /// It leaves nothing behind: where the run ends first nobody waits for it.
  private mutating func start(_ host: String, _ replies: Mailbox<WorkerReply>) -> Bool {
    guard WorkerThread({ [resolver] in replies.post(.lookedUp(host: host, resolver(host))) }) != nil else {
      return false
    }
    runningCount += 1
    return true
  }

  /// The host has been looked for, and the next one is.
  ///
  /// - Returns: the transfers that waited for it, some of which may be dead.
  mutating func answered(_ host: String, replies: Mailbox<WorkerReply>) -> [Transfer] {
    runningCount -= 1
    if let next = queued.popFirst(), !start(next, replies) {
      runningCount += 1
      replies.post(.lookedUp(host: next, .uncertain))
    }
    let transfers = waiting.removeValue(forKey: host) ?? []
    for transfer in transfers { transfer.awaitsLookup = false }
    return transfers
  }
}
