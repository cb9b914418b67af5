/// Files that wait for long before their next request, and the places that others may have meanwhile.
///
/// begun ──leavePlace──► without a place ──resume──► begun
extension RunMachine {
  /// A shorter wait is over before another file has made much of the place.
  private static let longWait: Duration = .seconds(5)

  /// Until when the file sends no request, because of a fault or because its host wants none; nil if it does not wait for
  /// a time.
  package func waitEnd(of item: ItemHandle, now: Instant) -> Instant? {
    guard let entry = files[item], entry.machine.phase == .running, entry.machine.activeCount == 0 else { return nil }
    let current = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    switch entry.machine.demand(now: now, host: hosts.conditions(at: current)) {
    case .wait(let until): return until
    case .first(let mirror):
      guard case .wait(let until) = hosts[entry.machine.origin(ofMirror: mirror)]?.governor.permission(now: now) else {
        return nil
      }
      return until
    case .nothing, .further: return nil
    }
  }

  /// As `waitEnd`, if the wait is so long that another file may have the place meanwhile.
  package func longWaitEnd(of item: ItemHandle, now: Instant) -> Instant? {
    waitEnd(of: item, now: now).flatMap { $0 >= now + Self.longWait ? $0 : nil }
  }

  /// The files that wait for long and have a place, those that wait longest last. Costs time in proportion to the number
  /// of files.
  package func longWaits(now: Instant) -> [ItemHandle] {
    files.compactMap { item, entry in
      (entry.lacksPlace ? nil : longWaitEnd(of: item, now: now)).map { (end: $0, item: item) }
    }.sorted { ($0.end, $0.item) < ($1.end, $1.item) }.map(\.item)
  }

  /// The file has no place until `resume`.
  package mutating func leavePlace(_ item: ItemHandle) {
    guard let entry = files[item] else { return }
    if let host = entry.queue { hosts.remove(item, from: host) }
    entry.queue = nil
    entry.lacksPlace = true
  }

  /// The file has a place again.
  package mutating func resume(_ item: ItemHandle, now: Instant, _ actions: inout [RunAction]) {
    files[item]?.lacksPlace = false
    enqueue(item, now: now, &actions)
  }
}
