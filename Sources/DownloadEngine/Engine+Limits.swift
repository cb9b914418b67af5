internal import DownloadCore
internal import Transport

/// Limits of the rate: whom they hold back, and how they change while the run lasts.
///
/// Bytes count where they are read. The kernel's receive buffers are left alone, although a server sees them filled
/// first: a buffer that is small enough to be smooth (32 KiB at 64 KiB/s) keeps a connection slow over far links for the
/// rest of its life, and the limit may be gone a minute later.
extension Engine {
  /// From now on, whatever held before; a timetable's next entry changes its own limit again.
  ///
  /// On the loop's thread, so from whatever the observer is told.
  /// - Parameters: bytes per second, above 0; nil is unlimited.
  package func changeLimits(run: Int64?, perFile: Int64?) {
    let wasLimited = mustSeparate
    gate.change(run: run, perFile: perFile, now: Clock.now())
    if mustSeparate, !wasLimited { separatesTransfers = true }
  }

  /// Whether transfers need connections of their own because they may be held back: libcurl 7.88 leaks streams of
  /// HTTP/2 that end while they are paused, and a paused one holds up the others of its connection.
  var mustSeparate: Bool {
    gate.isLimited || settings.limitRate != nil || settings.limitRatePerFile != nil
  }

  /// Transfers that began on shared connections are asked for again, each on one of its own.
  func separateTransfers() {
    guard separatesTransfers else { return }
    separatesTransfers = false
    for sink in Array(sinks.values) where !sink.exchange.isSeparate && !sink.isDead && sink.heldResult == nil {
      guard sink.exchange.order.location.scheme == .https else { continue }
      loop.stop(sink.exchange)
      ended(sink, .stopped)
    }
  }

  /// Has the timetables' limits hold, at the second they change; looks at least once a minute, for local time may jump.
  func followTimetables() {
    guard now >= nextTimetableLook else { return }
    let tables = [settings.limitRate, settings.limitRatePerFile]
    let second = secondOfLocalDay()
    let rates = tables.map { $0?.rate(at: second) }
    if rates != scheduledRates {
      scheduledRates = rates
      changeLimits(run: rates[0], perFile: rates[1])
    }
    let change = tables.compactMap { $0?.secondsToChange(from: second) }.min()
    nextTimetableLook = change.map { now + .seconds(min($0, 60)) } ?? .distantFuture
  }

  /// Lets transfers that were held back go on, as far as the limits admit.
  func letWaitingOn() {
    guard gate.isWaitedAt else { return }
    gate.beginRound()
    while let id = gate.next(now: Clock.now()) {
      // What is held back comes with it, so that the time in line is not held against the server.
      if let sink = sinks[id] { loop.unpause(sink.exchange) }
    }
  }
}
