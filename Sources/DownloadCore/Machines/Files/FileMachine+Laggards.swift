/// Slow connections are replaced, and slow mirrors are left.
extension FileMachine {
  /// A connection below this part of its siblings' median speed is slow.
  private static let crawlingPart = 0.125
  /// A mirror below this part of the fastest one's rate is left.
  private static let worthwhilePart = 0.02

  /// Replaces slow connections of a single mirror, or leaves a slow mirror of several.
  ///
  /// - Parameter host: conditions of the current mirror's host.
  mutating func dropLaggards(host: HostConditions, now: Instant, _ actions: inout [RunAction]) {
    if sharesMirrors {
      leaveLaggingMirrors(now: now, &actions)
    } else if !leaveCrawlingSource(now: now, &actions) {
      replaceCrawlingTransfers(host: host, now: now, &actions)
    }
  }

  /// Leaves the only source of a file of which almost nothing has come in a long time, if another mirror may bring it.
  /// What has come is lost then, so that it must be little.
  ///
  /// - Returns: whether the source was left.
  private mutating func leaveCrawlingSource(now: Instant, _ actions: inout [RunAction]) -> Bool {
    guard mirrors.count > 1, phase == .running, !isWhole, !segments.speeds.isSaturated,
      done.byteCount < Self.crawlByteCount, let first = active.first,
      active.allSatisfy({ $0.purpose == .content && $0.stage == .receiving && $0.mirror == first.mirror }),
      !mirrors[first.mirror].isLaggard, now - first.answeredAt >= Self.crawlTime
    else { return false }
    let received = active.reduce(0) { $0 + $1.received }
    let rate = Double(received) / (now - first.answeredAt).inSeconds
    let left = completeLength.map { Double($0 - done.byteCount) } ?? .infinity
    guard received < Self.crawlByteCount, left > rate * 6 * Self.crawlTime.inSeconds else { return false }
    let mayBeFaster = mirrors.indices.contains {
      $0 != first.mirror && mirrors[$0].isLeft && !mirrors[$0].isLinked && !mirrors[$0].isLaggard
        && mirrors[$0].attempts.notBefore <= now
    }
    guard mayBeFaster else { return false }
    actions.append(.notice(item: item, .note, .leavingSlowMirror(mirrors[first.mirror].redirects.original)))
    restart(&actions)
    mirrors.lags(first.mirror, version)
    return true
  }

  /// A source crawls that has brought less than this in this time.
  private static let crawlByteCount: Int64 = 256 << 10
  private static let crawlTime = Duration.seconds(10)

  /// Ends slow connections, so that new ones take over their segments.
  ///
  /// The number is limited, because a server may be slow for every new connection.
  private mutating func replaceCrawlingTransfers(host: HostConditions, now: Instant, _ actions: inout [RunAction]) {
    guard phase == .running, isSplittable(on: host) else { return }
    let speeds = segments.speeds
    for index in active.indices {
      let transfer = active[index]
      // Without ranges a new connection would start over.
      guard segments.mayHurry, transfer.purpose == .content, !mirrors[transfer.mirror].ranges.isAvoided,
        speeds.isMature(transfer, now: now), transfer.end != .max,
        let usual = speeds.typicalSpeed(besides: transfer.id, among: active, now: now)
      else { continue }
      let isCrawling = transfer.speed < usual * Self.crawlingPart
      guard segments.crawls(index, isCrawling, for: Self.patience(usual), now: now) else { continue }
      let left = Double(segments.effectiveEnd(of: transfer, completeLength: completeLength) - transfer.front)
      guard left / max(transfer.speed, 1) > 3 * speeds.freshSeconds(for: left, speed: usual) else { continue }
      segments.cutLaggard(index, &actions)
    }
  }

  /// How long a connection must be slow: slow connections get their bytes in bursts, with longer pauses than fast ones.
  private static func patience(_ usualSpeed: Double) -> Duration {
    .nanoseconds(Int64(min(Double(64 << 10) / max(usualSpeed, 1), 5) * 1e9))
  }

  /// Leaves mirrors that are far slower than another one for seconds. Their segments become free. A mirror is left once:
  /// it comes back only when no other is ready.
  private mutating func leaveLaggingMirrors(now: Instant, _ actions: inout [RunAction]) {
    guard !isWhole, active.allSatisfy({ $0.purpose == .content }) else { return }
    for mirror in mirrors.partners(for: version)
    where !mirrors[mirror].isLaggard && isLagging(mirror, now: now) {
      guard mirrors.candidates(for: version).count > 1 else { return }
      segments.stopAll(of: mirror, &actions)
      mirrors.lags(mirror, version)
      let level = mirrors[mirror].isLinked ? Notice.Level.detail : .note
      actions.append(.notice(item: item, level, .leavingSlowMirror(mirrors[mirror].redirects.original)))
    }
  }

  /// Whether it has brought, for 10 s, less than a twentieth of what a connection to another mirror brings.
  private func isCrawling(_ transfer: ActiveTransfer, besides others: [Int], now: Instant) -> Bool {
    let seconds = (now - transfer.answeredAt).inSeconds
    guard transfer.stage == .receiving, seconds >= 10 else { return false }
    let best = others.map { mirrors[$0].meter.connectionRate }.max() ?? 0
    return Double(transfer.received) / seconds < best / 20
  }

  private func isLagging(_ mirror: Int, now: Instant) -> Bool {
    let own = active.filter { $0.mirror == mirror }
    guard !own.isEmpty else { return false }
    let others = mirrors.partners(for: version).filter {
      $0 != mirror && mirrors[$0].meter.span >= 1 && mirrors[$0].attempts.notBefore <= now
    }
    if own.allSatisfy({ isCrawling($0, besides: others, now: now) }) { return true }
    let best = others.map { mirrors[$0].meter.rate }.max()
    guard let best, best > 0 else { return false }
    let meter = mirrors[mirror].meter
    if own.allSatisfy({ $0.stage == .awaitingHead }) {
      let patience = max(.seconds(5), meter.roundTrip * 20)
      return own.allSatisfy { now - $0.startedAt > patience }
    }
    return meter.span >= 3 && meter.rate < best * Self.worthwhilePart
  }
}
