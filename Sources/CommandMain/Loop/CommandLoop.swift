internal import DownloadCore
internal import DownloadEngine
internal import Glibc
internal import SwiftGet

/// The loop of the command's first thread while a run works: it passes events on, hears signals and watches the
/// deadline.
struct CommandLoop {
  private let work: DownloadRun
  private let receiver: any EventReceiver
  private let signals: SignalWatch
  private let deadline: RunDeadline?
  /// What the user steers the run by; nil where keys are not read.
  private let keys: KeyControl?
  private let subscription: EventSubscription
  /// When the receiver is to write what it has; nil if it has nothing.
  private var flushTime: ContinuousClock.Instant?
  private var isDeadlineTold = false
  private var toldSignalCount = 0

  private static let flushInterval = Duration.milliseconds(200)
  /// A wall clock may be set, so the deadline is looked at every so often.
  private static let deadlineInterval = Duration.milliseconds(200)

  /// Works to the end.
  ///
  /// A signal that ends the run, or its deadline, saves what there is; a further signal waits for nothing.
  static func run(
    _ work: DownloadRun, _ receiver: any EventReceiver, _ signals: SignalWatch, until deadline: RunDeadline?,
    keys: KeyControl? = nil
  ) -> RunEnd {
    var loop = CommandLoop(work, receiver, signals, deadline, keys)
    // Whatever comes, the shell gets its terminal back.
    defer { keys?.end() }
    return loop.run()
  }

  private init(
    _ work: DownloadRun, _ receiver: any EventReceiver, _ signals: SignalWatch, _ deadline: RunDeadline?,
    _ keys: KeyControl?
  ) {
    self.keys = keys
    self.work = work
    self.receiver = receiver
    self.signals = signals
    self.deadline = deadline
    subscription = work.events(progressEvery: receiver.progressInterval)
  }

  private mutating func run() -> RunEnd {
    hearSignals()
    lookAtDeadline()
    do { try work.start() } catch {
      var end = RunEnd()
      end.failureCodes = [error.code]
      end.stoppedBy = error
      return end
    }
    var hasEnded = false
    while !hasEnded {
      keys?.listen()
      hasEnded = wait()
      hearSignals()
      lookAtDeadline()
      passOn()
    }
    let end = work.end()
    passOn()
    receiver.flush()
    return end
  }

  private mutating func passOn() {
    for batch in subscription.takeAll() {
      for event in batch.events {
        receiver.take(event)
        if let keys, case .progressed(let progress) = event { keys.progressed(progress) }
      }
      if flushTime == nil { flushTime = .now + Self.flushInterval }
    }
    if let flushTime, flushTime <= .now {
      receiver.flush()
      self.flushTime = nil
    }
  }

  private mutating func hearSignals() {
    signals.take()
    signals.stopIfAsked()
    if signals.takeStatusQuestion() { work.tellStatus() }
    while toldSignalCount < signals.endingCount {
      toldSignalCount += 1
      work.stop(toldSignalCount > 1 || isDeadlineTold ? .now : .save)
    }
  }

  private mutating func lookAtDeadline() {
    guard !isDeadlineTold, let deadline, deadline.hasPassed else { return }
    isDeadlineTold = true
    work.stop(.save, because: Failure(.runDeadline))
  }

  /// Waits until something happens, and does what was typed.
  ///
  /// - Returns: whether the work has ended.
  private func wait() -> Bool {
    var entries = [
      work.endDescriptor ?? -1, subscription.descriptor, signals.descriptor, keys?.descriptor ?? -1,
    ].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var time: Duration?
    if let flushTime { time = max(.zero, flushTime - .now) }
    if deadline != nil, !isDeadlineTold { time = min(time ?? Self.deadlineInterval, Self.deadlineInterval) }
    // Rounded up, or the last millisecond would be spent without sleep.
    let milliseconds = time.map { Int32(clamping: ($0.wholeNanoseconds + 999_999) / 1_000_000) }
    guard poll(&entries, nfds_t(entries.count), milliseconds ?? -1) > 0 else { return false }
    keys?.obey(entries[3].revents, work)
    return entries[0].revents != 0
  }
}
