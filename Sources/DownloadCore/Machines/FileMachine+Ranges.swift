/// Which range the next connection gets: what nobody has asked for, a part of what another has yet to bring, or all of
/// what a laggard has.
extension FileMachine {
  /// The next range that nobody has asked for, or a share of what another connection has yet to bring.
  func nextRange(now: Instant, mirror: Int) -> Range<Int64>? {
    guard let length = completeLength else { return nil }
    var taken = done
    for transfer in active where transfer.purpose == .content {
      taken.insert(transfer.position..<max(transfer.position, effectiveEnd(of: transfer)))
    }
    let horizon = done.contiguousEnd + settings.window
    if let gap = firstGap(of: taken.gaps(in: 0..<length), for: mirror, now: now),
      gap.lowerBound < horizon || active.isEmpty
    {
      if pieces?.trouble(at: gap.lowerBound) != nil { return gap }
      if sharesMirrors, !active.isEmpty { return share(of: gap, for: mirror) }
      guard climber.target > 1 else { return gap }
      return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + chunkSize(of: length - gap.lowerBound))
    }
    if sharesMirrors { return stolenShare(for: mirror, now: now) }
    return stolenRange(now: now) ?? racedRange(now: now)
  }

  /// Whether one more range may be asked for beside those at work. After one that brought next to nothing one at a time
  /// tries, and after a few in a row none: however much another connection brings meanwhile, that is no progress of
  /// theirs.
  func bearsFurtherRange(_ mirror: Int) -> Bool {
    let state = mirrors[mirror]
    guard state.fruitlessRanges > 0 else { return true }
    return state.fruitlessRanges < settings.tries
      && !active.contains { $0.mirror == mirror && $0.startedAt >= state.fruitlessRangeAt }
  }

  mutating func noteFruitlessRange(_ mirror: Int, startedAt: Instant, now: Instant) {
    guard startedAt >= mirrors[mirror].fruitlessRangeAt else { return }
    mirrors[mirror].fruitlessRanges += 1
    mirrors[mirror].fruitlessRangeAt = now
    // Whoever has never served one may yet serve the whole.
    if mirrors[mirror].fruitlessRanges >= settings.tries, !mirrors[mirror].hasServedRange {
      mirrors[mirror].ignoresRanges = true
    }
  }

  /// The transfer at `index` has recorded so many bytes that were missing.
  mutating func noteRangeServed(_ index: Int, _ added: Int64) {
    active[index].recorded += added
    let transfer = active[index]
    guard transfer.recorded >= Self.progressByteCount, transfer.asked != .whole else { return }
    mirrors[transfer.mirror].hasServedRange = true
    if transfer.startedAt >= mirrors[transfer.mirror].fruitlessRangeAt { mirrors[transfer.mirror].fruitlessRanges = 0 }
  }

  /// Where a transfer's share ends: at its end, or where another active one begins before that.
  func effectiveEnd(of transfer: ActiveTransfer) -> Int64 {
    var end = min(transfer.end, completeLength ?? .max)
    for other in active where other.id != transfer.id && other.purpose == .content {
      if other.bodyStart > transfer.bodyStart, other.bodyStart < end { end = other.bodyStart }
    }
    return end
  }

  /// A part of the rest of the transfer that would take longest, such that both would end together; of a long rest only
  /// the chunk after the next, so that the front is filled first.
  private func stolenRange(now: Instant) -> Range<Int64>? {
    var best: (range: Range<Int64>, seconds: Double)?
    // A second connection has to be made first; further ones are kept.
    let worthwhile = max(active.count == 1 ? 0.1 : 0.03, roundTrip.inSeconds * 3)
    for transfer in active where transfer.stage == .receiving && transfer.purpose == .content {
      let front = front(of: transfer)
      let end = effectiveEnd(of: transfer)
      let left = Double(end - front)
      let speed = speed(of: transfer, now: now)
      // What the host is known for comes late: a first further connection is taken to be as good as the only one.
      let other = max(typicalSpeed(besides: transfer.id, now: now) ?? speed, active.count == 1 ? speed : 1)
      let seconds = left / speed
      guard left > 0, seconds > best?.seconds ?? 0 else { continue }
      // What the owner brings until the other has answered, and then its part of the rest.
      let delay = roundTrip.inSeconds * 2
      let lead = lead(of: transfer, now: now)
      let kept = max(speed * (delay * other + left) / (speed + other), lead)
      // Who brings next to nothing is raced or replaced instead.
      guard kept >= Double(Self.progressByteCount), left - kept >= Double(leastRange(at: other)),
        seconds - kept / speed > worthwhile
      else { continue }
      // The owner works on while the others are on their way, two round trips: in each a young connection brings at
      // least as much again.
      let meanwhile = Int64(min(speed * roundTrip.inSeconds, 1e12))
      let ahead = roundTrip >= Self.farRoundTrip ? max(meanwhile, 2 * transfer.received) : 0
      let chunk = chunkSize(of: max(Int64(left) - ahead, 0), isShared: true)
      // What it may bring beyond is brought twice.
      let least = lead > Double(duplicateBudget) ? Int64(lead) : 0
      let split = front + max(min(chunk + ahead, Int64(kept)), least)
      best = (left > 2 * Double(chunk) ? split..<min(split + chunk, end) : split..<end, seconds)
    }
    return best?.range
  }

  /// What a connection of this speed, in bytes per second, is asked for at least: a few round trips' work.
  private func leastRange(at speed: Double) -> Int64 {
    let lasting = Int64(min(speed * max(0.05, roundTrip.inSeconds * 6), 1e12))
    return min(max(lasting, 16 << 10), Self.leastStolenByteCount, settings.minSplitSize)
  }

  /// A range long enough to be worth its round trip, of what nobody has asked for yet: about a second of one
  /// connection's share, and less towards the end, so that all connections come to it together.
  ///
  /// Where round trips are long, speeds take many of them to show: each connection gets an equal part of the window.
  ///
  /// - Parameter isShared: one of those at work has a part in what is left.
  func chunkSize(of left: Int64, isShared: Bool = false) -> Int64 {
    let target = Int64(climber.target)
    let share = rate / Double(max(1, active.count { $0.stage == .receiving }, climber.target / 2))
    let second = Int64(min(max(share, 0), 1e12))
    if roundTrip >= Self.farRoundTrip {
      let all = min((completeLength ?? left) - done.byteCount, settings.window)
      // Whoever has begun may have taken more, for it works on while the others are on their way.
      let takers = max(1, target - Int64(active.count) + (isShared ? 1 : 0))
      // Rounded up, so that the last of them takes the rest.
      let equal = min(all / target, aligned(left / takers + 0x3fff))
      return max(aligned(max(equal, min(left / target, second))), leastRange(at: share))
    }
    let most = min(left, settings.window) / target
    let lasting = Int64(min(max(share, 0) * roundTrip.inSeconds * 40, 1e12))
    let least = max(min(settings.minSplitSize, left / (2 * target)), leastRange(at: share), min(lasting, most))
    return max(aligned(min(max(min(second, left / (2 * target)), least), max(least, most))), 16 << 10)
  }

  /// Ranges begin and end where few file systems have to write a block twice.
  private func aligned(_ byteCount: Int64) -> Int64 { byteCount & ~0x3fff }
}
