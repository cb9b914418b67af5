@testable import DownloadCore
import TestSupport

/// What must never happen.
extension SimulatedDownload {
  func check(_ item: Int) {
    let length = world.files[item].current.length
    switch items[item].result {
    case .failed(let error)? where servable[item] && !items[item].isRejected:
      problem("item \(item) failed although it could be had: \(error.cause)")
    case .concluded? where clean[item] && items[item].plannedCount > mostPlanned(item) + items[item].replacedCount:
      problem(
        "item \(item): \(items[item].plannedCount) requests for \(length) bytes, \(items[item].replacedCount) replaced")
    case .concluded? where clean[item] && items[item].received > length + length / 10 + (1 << 20):
      problem("item \(item): \(items[item].received) bytes received for \(length)")
    default: break
    }
  }

  func checkStart(_ order: TransferOrder, _ host: Int) {
    let item = number(of: order)
    if items[item].result != nil { problem("item \(item) gets a transfer after its end") }
    checkLinked(order)
    items[item].requestCount += 1
    items[item].requestsWithoutProgress += 1
    if clean[item] { checkSize(order) }
    if items[item].requestCount > Self.mostRequests { problem("item \(item): too many requests") }
    if items[item].requestsWithoutProgress > mostRequestsWithoutProgress(item) {
      problem("item \(item): \(items[item].requestsWithoutProgress) requests without progress")
    }
    let mine = transfers.values.filter { $0.item == item }.count
    if mine >= run.fileSettings.maxConnections { problem("item \(item) has more than \(mine) transfers") }
    let there = transfers.values.filter { $0.order.location.origin == order.location.origin }.count
    if there >= world.settings.limits.maxConnectionsPerHost {
      problem("\(order.location.origin.text) has more than \(there) transfers")
    }
    if let all = limits.all, transfers.count >= all { problem("more than \(all) transfers") }
    let group = Self.group(of: item)
    if let most = limits.groups[Int(group.number)],
      transfers.values.count(where: { Self.group(of: $0.item) == group }) >= most
    {
      problem("group \(group.number) has more than \(most) transfers")
    }
    if now < world.hosts[host].retryAt { problem("a request before Retry-After has passed") }
    if let wait = items[item].redirectWaits[order.location], now < wait {
      problem("item \(item) asks again for a redirect before its Retry-After has passed")
    }
    // Of mirrors on one host, each may be refused because of the others.
    if !world.dimensions.contains(.sharedHost), order.location == world.locations[item][order.mirror],
      let rest = items[item].restsUntil[order.mirror],
      now < rest
    {
      problem("item \(item) asks mirror \(order.mirror) again without a pause")
    }
  }

  /// What a file takes if nothing fails: a request for each usual connection of each beginning, and for each 4 MiB.
  func mostPlanned(_ item: Int) -> Int {
    max(16, run.fileSettings.maxConnections) * items[item].beginningCount
      + Int(world.files[item].current.length >> 22)
  }

  /// No request is short, unless nothing else is left to ask for or it replaces another one.
  private func checkSize(_ order: TransferOrder) {
    guard let segments = run.file(order.item)?.machine.segments else { return }
    items[number(of: order)].replacedCount = segments.hurryCount
    if segments.active.first(where: { $0.id == order.id })?.isReplacement ?? false { return }
    items[number(of: order)].plannedCount += 1
    guard case .range(let range) = order.asked else { return }
    let minSplitSize = world.settings.file.minSplitSize
    let isLast = range.upperBound == world.files[number(of: order)].current.length
    // What a pause has left of a range may be short.
    if range.upperBound - range.lowerBound < minSplitSize ?? 64 << 10, !isLast || minSplitSize != nil,
      segments.hurryCount == 0, commandCount == 0
    {
      problem("item \(number(of: order)): a request of \(range.upperBound - range.lowerBound) bytes")
    }
    guard let minSplitSize, segments.hurryCount == 0 else { return }
    for other in segments.active where other.front < range.lowerBound && range.lowerBound < other.end {
      let kept = range.lowerBound - other.front
      if kept < minSplitSize { problem("item \(number(of: order)): a transfer keeps \(kept) bytes of a divided range") }
    }
  }

  private func mostRequestsWithoutProgress(_ item: Int) -> Int {
    var most = Self.mostRequestsWithoutProgress + 40 * world.linkedCount
    // Each restart may open as many connections as the version before had.
    if world.dimensions.contains(.backends) { most += 16 * 5 }
    let loopCount = world.sources[item].count { $0.redirect == .loop }
    if loopCount == 0 { return most }
    // Each try goes round until its redirects are counted out, and each request may meet a closed connection.
    return most + loopCount * world.settings.file.tries * (world.settings.file.maxRedirects + 1) * 2
  }

  /// Computes the pause that the machine must now keep, independently of the machine.
  func noteFault(_ transfer: Transfer, _ ending: TransferEnding) {
    let item = transfer.item
    if transfer.head?.status == 403 { world.hosts[transfer.host].forbiddenCount += 1 }
    if let wait = transfer.head?.retryAfter(dateNow: unixTime(now)).map({ min($0, world.settings.file.retryWait) }) {
      // A redirect concerns the file, a refusal the host.
      if transfer.redirectTarget == nil {
        // A host that goes on to forbid requests is not waited for.
        let isGivenUp = world.hosts[transfer.host].forbiddenCount >= world.settings.file.tries
        world.hosts[transfer.host].retryAt = isGivenUp ? .zero : now + wait
      } else {
        items[item].redirectWaits[transfer.order.location] = now + wait
      }
    }
    var isFault = false
    if case .failed(let fault) = ending { isFault = fault != .keptConnectionClosed }
    // The end of an unwanted body does not matter, but its head does.
    if transfer.disposition == .drain || transfer.disposition == .stop { isFault = false }
    // A range that cannot be served is asked for in another way at once.
    if let status = transfer.head?.status, status >= 500 && status != 501 || status == 408 { isFault = true }
    // A detected lie is a fault as well, but needs no pause of the host.
    if transfer.isLie || transfer.head?.status ?? 0 >= 400 && !isFault { items[item].faultedAt = now }
    // It has brought nothing and is sent once more.
    if let limit = world.hosts[transfer.host].rateLimit, transfer.head?.status == limit.status {
      items[item].plannedCount -= 1
    }
    let isDueToRate = noteRefusal(transfer, ending)
    guard isFault else { return }
    // An unreachable host has a backoff of its own, a fault while others are served counts as throttling, and transfers
    // that were active together count as one attempt.
    var isUnreachable = false
    if case .failed(let fault) = ending { isUnreachable = fault.kind == .unreachable }
    // A refused request was not alone if another one was served until after it was sent.
    let isAlone =
      !transfers.values.contains { $0.order.location.origin == transfer.order.location.origin }
      && !(transfer.isThrottled && world.hosts[transfer.host].servedAt > transfer.startedAt)
    guard isAlone else { return items[item].faultedAt = now }
    if isDueToRate { return items[item].faultedAt = now }
    guard transfer.startedAt >= items[item].faultedAt else { return }
    if items[item].newSinceFault[transfer.order.mirror, default: 0] == 0, !isUnreachable || items.count == 1,
      transfer.order.location == world.locations[item][transfer.order.mirror]
    {
      items[item].restsUntil[transfer.order.mirror] = now + .milliseconds(450)
      note("rests \(items[item].newSinceFault)")
    }
    guard !isUnreachable else { return }
    items[item].newSinceFault[transfer.order.mirror] = 0
    items[item].faultedAt = now
  }

  /// - Returns: whether a host that refuses requests again has served some since it last refused this item: too many come,
  ///   which is no fault of the item.
  private func noteRefusal(_ transfer: Transfer, _ ending: TransferEnding) -> Bool {
    var isUnreachable = false
    if case .failed(let fault) = ending { isUnreachable = fault.kind == .unreachable }
    guard transfer.isThrottled || isUnreachable else { return false }
    let (item, host) = (transfer.item, world.hosts[transfer.host])
    let before = items[item].refusedAt[transfer.host] ?? .zero
    // Requests that were active together are refused together, by an answer or without a connection.
    if transfer.startedAt >= before { items[item].refusedAt[transfer.host] = now }
    guard transfer.isThrottled else { return false }
    world.hosts[transfer.host].refusedAt = now
    return host.refusedAt > .zero && now - host.refusedAt < .seconds(120) && host.servedAt > before
  }

  func hashed(_ item: Int, _ handle: ItemHandle, _ conclusion: Conclusion) {
    items[item].content.truncate(to: conclusion.completeLength)
    let content = items[item].content
    guard content.covers(ByteRangeSet(CollectionOfOne(0..<conclusion.completeLength))) else {
      return problem("item \(item) is concluded with \(conclusion.completeLength) bytes, but not all are stored")
    }
    var actions: [RunAction] = []
    run.hashed(handle, [content.digest, content.digest(.sha512), content.digest(.md5)], now: now, &actions)
    perform(actions)
  }

  /// Most files are accepted, some are touched, and a few are rejected.
  func judged(_ item: Int, _ handle: ItemHandle) {
    let judgement: FileMachine.Judgement
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      judgement = .rejected(Failure(.rejected(.exited(status: 1))))
      items[item].isRejected = true
    case 1...2: judgement = .touched
    default: judgement = .accepted
    }
    note("judged \(item) \(judgement)")
    var actions: [RunAction] = []
    run.judged(handle, judgement, &actions)
    perform(actions)
  }

  func published(_ item: Int, _ handle: ItemHandle, _ conclusion: Conclusion) {
    let content = items[item].content
    let digest = content.digest
    if let verified = conclusion.verified {
      let isTold = verified.source == .server ? items[item].claims.contains(verified.digest) : true
      if !isTold || verified.source == .confirmation {
        problem("item \(item) is called verified without a digest from outside")
      }
      if ![digest, content.digest(.sha512), content.digest(.md5)].contains(verified.digest) {
        problem("item \(item) is called verified with a digest that it does not have")
      }
    }
    if items[item].isRejected { problem("item \(item) is published, but the user's command has rejected it") }
    note("concluded \(item)")
    run.concluded(handle)
    end(item, handle, .succeeded)
    items[item].result = .concluded(version: content.runs.first?.version ?? 0, length: conclusion.completeLength)
    let file = world.files[item]
    if let expected = givenDigests(item).first, expected != digest {
      problem("item \(item) is concluded with content that does not match its digest")
    }
    let isCoded = world.sources[item][world.named(item)].contains {
      $0.isCoded || $0.codedShare > 0 || $0.drawsHeads
    }
    if let expected = file.expectedLength, expected != conclusion.completeLength, !isCoded {
      problem("item \(item) is concluded with \(conclusion.completeLength) bytes instead of \(expected)")
    }
    let others = world.sources[item][world.named(item)].compactMap(\.otherVersion)
    var isVersion = (file.versions + others).contains {
      StoredContent(version: $0.number, length: $0.length) == content
        || (isCoded && StoredContent(version: $0.number + 500, length: $0.length) == content)
    }
    // With --allow-unconfirmed a truncated close-delimited body is accepted.
    if !isVersion, world.settings.file.allowsUnconfirmed, world.sources[item].contains(where: \.hidesCuts) {
      isVersion = content.runs.count <= 1
    }
    if !isVersion { problem("item \(item) is concluded with content of no version: \(content.runs)") }
  }
}
