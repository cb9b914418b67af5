import DownloadCore

/// Redirects, and what their targets answer.
extension SimulatedDownload {
  func redirect(_ source: Behaviour, _ order: TransferOrder, _ latency: Duration) -> ServerAnswer? {
    let parts = order.location.path.split(separator: "/")
    // /ITEM/MIRROR is the original; /ITEM/MIRROR/hop/N and /ITEM/MIRROR/at/NANOSECONDS are redirect targets.
    let mark = parts.count > 3 ? Int64(parts[3]) ?? 0 : 0
    switch source.redirect {
    case .none: return nil
    case .chain(let length):
      return mark < Int64(length) ? hop(order, "hop/\(mark + 1)", latency) : nil
    case .loop: return hop(order, "hop/\((mark + 1) % 3)", latency)
    case .expiring(let span), .dying(let span):
      if parts.count <= 3 { return hop(order, "at/\(now.nanoseconds)", latency) }
      if now < Instant(nanoseconds: mark) + span { return nil }
      if case .dying = source.redirect {
        return ServerAnswer(result: .fault(.connectFailed("no route to host"), after: latency))
      }
      return status(403, after: latency, order)
    case .absent: return parts.count <= 3 ? hop(order, "gone", latency) : status(404, after: latency, order)
    case .waiting(let seconds, let count):
      if count == 0 { return nil }
      world.sources[number(of: order)][order.mirror].redirect = .waiting(seconds: seconds, count: count - 1)
      return hop(order, to: order.location, retryAfter: seconds, latency)
    case .serving(let count):
      if parts.count <= 3 { return hop(order, "at/\(now.nanoseconds)", latency) }
      let served = servedCounts[order.location.path, default: 0]
      servedCounts[order.location.path] = served + 1
      return served < count ? nil : status(403, after: latency, order)
    }
  }

  private func hop(_ order: TransferOrder, _ suffix: String, _ latency: Duration) -> ServerAnswer {
    let origin = world.locations[number(of: order)][order.mirror]
    // Targets have another host, as signed URLs usually do.
    let target = Location(
      scheme: .https, host: origin.host, port: origin.port &+ (world.redirectsAcrossHosts ? 100 : 0),
      path: "/\(number(of: order))/\(order.mirror)/\(suffix)", query: nil)
    return hop(order, to: target, latency)
  }

  private func hop(
    _ order: TransferOrder, to target: Location, retryAfter: Int? = nil, _ latency: Duration
  ) -> ServerAnswer {
    var head = ResponseHead(status: 302)
    head.contentLength = 0
    head.location = Array("there".utf8)
    head.retryAfterValue = retryAfter.map { Array(String($0).utf8) }
    return ServerAnswer(result: .head(head, redirectTarget: target, ServerAnswer.Body(), after: latency))
  }
}
