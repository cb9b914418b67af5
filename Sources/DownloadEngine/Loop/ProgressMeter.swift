internal import DownloadCore

/// Counts the items and bytes of a run and measures its rates. No other type adds up bytes of the run.
struct ProgressMeter {
  private let startedAt: Instant
  private var downloadedCount = 0
  private var keptCount = 0
  private(set) var failedCount = 0
  private var withdrawnCount = 0
  /// Body bytes from the network, of use or not.
  private var receivedByteCount: Int64 = 0
  /// The sizes of files that were downloaded or kept.
  private var finishedByteCount: Int64 = 0
  private var rates: RateAverages

  init(now: Instant) {
    startedAt = now
    rates = RateAverages(now: now)
  }

  /// Body bytes have come in.
  mutating func received(_ byteCount: Int64) { receivedByteCount += byteCount }

  /// An item has ended.
  /// - Parameter byteCount: the size of its file; ignored unless the file is in place.
  mutating func ended(_ result: Outcome.Result, byteCount: Int64) {
    switch result {
    case .downloaded: downloadedCount += 1
    case .kept: keptCount += 1
    case .failed:
      failedCount += 1
      return
    case .withdrawn:
      withdrawnCount += 1
      return
    case .unfinished: return
    }
    finishedByteCount += byteCount
  }

  /// Items that have ended, whichever way.
  var endedCount: Int { downloadedCount + keptCount + failedCount + withdrawnCount }

  /// The mean size of the files so far; 0 before the first.
  var meanFileByteCount: Int64 { finishedByteCount / Int64(max(1, downloadedCount + keptCount)) }

  /// What the run looks like now.
  ///
  /// - Parameters:
  ///   - items: the active items.
  ///   - itemCount: items of the input, where known.
  mutating func snapshot(
    items: some Collection<ActiveItem>, transfers: some Sequence<Transfer>, machine: borrowing RunMachine,
    itemCount: Int?,
    connectionCount: Int, now: Instant
  ) -> RunProgress {
    var progress = RunProgress()
    progress.itemCount = itemCount
    progress.downloadedCount = downloadedCount
    progress.keptCount = keptCount
    progress.failedCount = failedCount
    progress.withdrawnCount = withdrawnCount
    progress.receivedByteCount = receivedByteCount
    progress.connectionCount = connectionCount
    progress.elapsed = now - startedAt
    progress.isOffline = machine.network.isOffline
    progress.limitingHosts = machine.limitingHosts(now: now)
    progress.doneByteCount = finishedByteCount
    progress.knownByteCount = finishedByteCount
    measure(items, now: now)
    progress.rate = rates.run.rate
    progress.steadyRate = rates.run.steadyRate
    let transfersByItem = Dictionary(grouping: transfers) { $0.item.handle }
    for item in items {
      if let conclusion = Self.conclusion(ofStaged: item, machine) {
        progress.add(done: conclusion.completeLength, known: conclusion.completeLength)
      } else {
        let file = file(item, transfersByItem[item.handle] ?? [], machine, now: now)
        progress.add(done: file.doneByteCount, known: file.completeLength)
        progress.active.append(file)
      }
    }
    progress.active.sort { $0.task < $1.task }
    return progress
  }

  /// Measures the rates of the run and of its active items.
  mutating func measure(_ items: some Sequence<ActiveItem>, now: Instant) {
    rates.measure(
      received: receivedByteCount,
      byItem: items.lazy.filter { !$0.content.isStaged }.map { ($0.handle, $0.traffic.received.total) },
      now: now)
  }

  /// How far an active item is; nil if it only waits for its name.
  ///
  /// - Parameter transfers: those of the item.
  func progress(
    of item: ActiveItem, _ transfers: [Transfer], _ machine: borrowing RunMachine, now: Instant
  ) -> FileProgress? {
    Self.conclusion(ofStaged: item, machine) == nil ? file(item, transfers, machine, now: now) : nil
  }

  /// A small file that only waits for its name is as good as done, and there may be thousands.
  private static func conclusion(ofStaged item: ActiveItem, _ machine: borrowing RunMachine) -> Conclusion? {
    item.content.isStaged ? machine.conclusion(of: item.handle) : nil
  }

  private func file(
    _ item: ActiveItem, _ transfers: [Transfer], _ machine: borrowing RunMachine, now: Instant
  ) -> FileProgress {
    let rates = rates.rates(of: item.handle)
    let file = machine.file(item.handle)
    let phase: FileProgress.Phase
    switch file?.machine.phase {
    case .checking, .verifying, .judging, .confirming, nil: phase = .verifying
    case .publishing, .ended: phase = .publishing
    case .running:
      if transfers.isEmpty {
        phase = file?.machine.lastFault == nil ? .waiting : .retrying
      } else {
        phase = file?.machine.representation == nil ? .connecting : .receiving
      }
    }
    // Two transfers may be bringing the same bytes, which count once.
    var done = file?.machine.done ?? ByteRangeSet()
    for transfer in transfers {
      if case .store = transfer.disposition { done.insert(transfer.segment.collectedRange) }
    }
    for range in item.storage?.rangesBeingWritten ?? [] { done.insert(range) }
    var doneByteCount = done.byteCount
    // What is written to a stream is done, whatever the machine knows of it.
    if case .stream(let output) = item.destination, output.byteCount > 0 {
      doneByteCount = output.byteCount + done.byteCount - (file?.machine.done.byteCount ?? 0)
    }
    var progress = FileProgress(
      task: item.task, name: item.name, phase: phase,
      completeLength: file?.machine.completeLength ?? item.completeLength,
      doneByteCount: doneByteCount, rate: rates.rate, steadyRate: rates.steadyRate, connectionCount: transfers.count)
    progress.isResumable =
      file?.machine.phase != .running || machine.mayPause(item.handle, hasMore: doneByteCount > 0)
    if transfers.isEmpty, phase == .waiting || phase == .retrying {
      progress.fault = file?.machine.lastFault
      let end = machine.waitEnd(of: item.handle, now: now) ?? .distantFuture
      if end < .distantFuture { progress.remaining = end - now }
    }
    return progress
  }
}

extension RunProgress {
  fileprivate mutating func add(done: Int64, known length: Int64?) {
    doneByteCount += done
    guard let sum = knownByteCount, let length else { return knownByteCount = nil }
    // A server may announce any length.
    let (total, overflow) = sum.addingReportingOverflow(length)
    knownByteCount = overflow ? .max : total
  }
}
