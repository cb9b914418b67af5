import DownloadCore
import TestSupport

/// The driver's transfers, and the servers' answers and bodies.
extension SimulatedDownload {
  func start(_ order: TransferOrder) {
    let item = number(of: order)
    let host = world.hostIndex(of: order.location)
    let isKept = idle[host] > 0 || world.hosts[host].keepsClosing
    idle[host] = max(0, idle[host] - 1)
    world.hosts[host].openCount += 1
    checkStart(order, host)
    let answer = answer(order, isKept: isKept)
    var transfer = Transfer(order: order, item: item, host: host, startedAt: now, isKept: isKept)
    transfer.isLie = answer.isLie
    transfer.manner = manner(of: order)
    switch answer.result {
    case .fault(let fault, let after): events.insert(.end(order.id, .failed(fault)), at: now + after)
    case .head(let head, let target, let body, let after):
      transfer.head = head
      if world.named(item).contains(order.mirror) { items[item].claims.formUnion(head.representationDigests) }
      transfer.redirectTarget = target
      transfer.body = body
      events.insert(.head(order.id), at: now + after)
    case .silence: events.insert(.end(order.id, .failed(.stalled)), at: now + world.stallTimeout)
    }
    note(
      "start \(order.id.number) item \(item) mirror \(order.mirror) \(order.location.path) \(order.asked) \(order.purpose)\(answer.isLie ? " LIE" : "")"
    )
    transfers[order.id] = transfer
  }

  func head(_ id: TransferID) {
    guard let transfer = transfers[id], let head = transfer.head else { return }
    let item = transfer.item
    let isNamed = world.named(item).contains(transfer.order.mirror)
    items[item].lastClaims = isNamed ? Set(head.representationDigests) : []
    items[item].judges.formUnion(items[item].lastClaims)
    transfers[id]!.isAnswered = true
    versions.answered(transfer.order.location.origin, isSeparate: transfer.manner.isSeparate)
    var actions: [RunAction] = []
    let disposition = run.headReceived(
      id, head, redirectTarget: transfer.redirectTarget,
      linkedMirrors: linkedMirrors(namedBy: transfer.order.mirror, of: item),
      roundTrip: transfer.isKept ? nil : world.hosts[transfer.host].roundTrip, unixTime: unixTime(now), now: now,
      &actions)
    note("head \(id.number) \(head.status) \(head.contentRange.map { "\($0)" } ?? "") → \(disposition)")
    transfers[id]!.disposition = disposition
    if !transfer.isThrottled { world.hosts[transfer.host].servedAt = now }
    switch disposition {
    case .store(let at, let skip, let end):
      transfers[id]!.stored = at + skip
      transfers[id]!.end = end ?? .max
      if case .range(let range) = transfer.order.asked, head.status == 206,
        at != range.lowerBound || end ?? .max > range.upperBound
      {
        problem("transfer \(id.number) asked for \(range) and is to store from \(at) to \(end ?? -1)")
      }
    case .stop: events.insert(.end(id, .stopped), at: now)
    case .hash, .drain: break
    }
    perform(actions)
    guard transfers[id] != nil, disposition != .stop else { return }
    let current = transfers[id]!
    if case .store = disposition, current.stored >= current.end,
      current.body.length > 0 || current.head?.contentLength != 0
    {
      events.insert(.end(id, .stopped), at: now)
    } else if transfer.body.length == 0 {
      bodyEnded(id)
    } else {
      scheduleChunk(id)
    }
  }

  func scheduleChunk(_ id: TransferID) {
    guard let transfer = transfers[id] else { return }
    let size = nextSize(transfer)
    let host = world.hosts[transfer.host]
    let rate = now - transfer.startedAt < host.crawlsFor ? 2000 : host.connectionRate
    let alone = now + Duration.seconds(Double(size) / rate)
    let shared = max(now, host.linkFree) + Duration.seconds(Double(size) / host.totalRate)
    world.hosts[transfer.host].linkFree = shared
    events.insert(.chunk(id), at: max(alone, shared))
  }

  func nextSize(_ transfer: Transfer) -> Int64 {
    let host = world.hosts[transfer.host]
    let rate = now - transfer.startedAt < host.crawlsFor ? 2000 : host.connectionRate
    return min(transfer.body.length - transfer.received, max(1, Int64(rate / 25)))
  }

  func chunk(_ id: TransferID) {
    guard var transfer = transfers[id] else { return }
    let size = nextSize(transfer)
    transfer.received += size
    transfers[id] = transfer
    if !transfer.isThrottled { world.hosts[transfer.host].servedAt = now }
    items[transfer.item].received += size
    run.received(id, byteCount: size)
    let isLast = transfer.received == transfer.body.length
    if case .store(let at, _, _) = transfer.disposition {
      // Sometimes bytes stay in the buffer for a while.
      if at + transfer.received >= transfer.end {
        flush(id)
        guard transfers[id] != nil else { return }
        if isLast, transfer.body.ending == .complete || transfer.body.ending == .unauthenticated {
          bodyEnded(id)
        } else {
          finish(id, .stopped)
        }
        return
      }
      if !isLast, chance(0.7) { flush(id) }
      guard transfers[id] != nil else { return }
    }
    if isLast { bodyEnded(id) } else { scheduleChunk(id) }
  }

  func bodyEnded(_ id: TransferID) {
    guard let transfer = transfers[id] else { return }
    switch transfer.body.ending {
    case .complete, .unauthenticated:
      var digest: ContentDigest?
      if case .hash = transfer.disposition {
        var content = StoredContent()
        content.write(0..<transfer.body.length, version: transfer.body.version, shift: transfer.body.start)
        digest = content.digest
      }
      finish(
        id, transfer.body.ending == .complete ? .complete(digest: digest) : .unauthenticatedEnd(digest: digest))
    case .short: finish(id, .failed(.shortBody))
    case .reset: finish(id, .failed(.reset("reset by peer")))
    case .stall: events.insert(.end(id, .failed(.stalled)), at: now + world.stallTimeout)
    }
  }

  func finish(_ id: TransferID, _ ending: TransferEnding) {
    flush(id)
    guard let transfer = transfers[id] else { return }
    let ending = transfer.deferredEnding ?? ending
    guard !isWriting(transfer) else { return transfers[id]!.deferredEnding = ending }
    transfers[id] = nil
    let told = judged(ending, of: transfer)
    note("end \(id.number) \(told) at \(transfer.stored)")
    world.hosts[transfer.host].openCount -= 1
    if case .complete = told, transfer.head?.connectionCloses == false { idle[transfer.host] += 1 }
    noteFault(transfer, told)
    // An answer serves until its end.
    if transfer.head != nil, !transfer.isThrottled { world.hosts[transfer.host].servedAt = now }
    var actions: [RunAction] = []
    run.transferEnded(id, told, now: now, random: Double.random(in: 0..<1, using: &random), &actions)
    perform(actions)
  }
}
