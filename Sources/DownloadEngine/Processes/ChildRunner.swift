package import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Gives a runner its commands and hears how they end, on the runner's thread.
package protocol ChildSource: AnyObject, Sendable {
  associatedtype Tag: Sendable, Hashable
  /// The next of the commands that were announced with `ChildRunner.add`; nil if it is not wanted any more.
  func next() -> (tag: Tag, command: ChildCommand)?
  /// Once for each command that `next` gave.
  func ended(_ tag: Tag, _ end: ChildEnd)
  /// So many commands will not be asked for, because nothing more is to start.
  func dropped(_ count: Int)
}

/// Runs commands on a thread of its own, as `ChildMachine` decides; nothing else waits for one.
package final class ChildRunner<Source: ChildSource>: Sendable {
  private enum Message: Sendable {
    case added(Int)
    case cancel(Source.Tag)
    case cancelAll(patience: Duration)
    case dropWaiting
    /// Signal `idle` as soon as nothing runs or waits.
    case tellIdle
    case end
  }

  private struct Child {
    let process: ChildProcess
    let tag: Source.Tag
  }

  private let source: Source
  private let timeLimit: Duration?
  private let inbox = Mailbox<Message>()
  private let idle = Wakeup()

  /// The time between two looks at children that have no descriptor.
  private static var lookInterval: Duration { .milliseconds(20) }

  /// - Parameter timeLimit: for each command; nil is unlimited.
  package init(_ source: Source, timeLimit: Duration?) {
    self.source = source
    self.timeLimit = timeLimit
  }

  /// Starts the thread; once. It ends after `end`.
  /// - Returns: false if the system has no more threads.
  package func start() -> Bool { WorkerThread { self.run() } != nil }

  // MARK: Messages

  /// So many further commands can be had from the source.
  package func add(_ count: Int = 1) { inbox.post(.added(count)) }

  /// The command is not wanted any more.
  package func cancel(_ tag: Source.Tag) { inbox.post(.cancel(tag)) }

  /// Nothing more is started.
  package func dropWaiting() { inbox.post(.dropWaiting) }

  /// What runs is ended.
  ///
  /// - Parameter patience: how long a command may take to end before it is killed.
  package func cancelAll(patience: Duration = ChildMachine.patience) { inbox.post(.cancelAll(patience: patience)) }

  /// The thread ends as soon as nothing runs or waits.
  package func end() { inbox.post(.end) }

  /// Waits until nothing runs or waits.
  ///
  /// - Parameter wait: waits until a descriptor is readable; false if it has ended before that.
  /// - Returns: false if the wait was ended.
  package func waitUntilIdle(by wait: (Int32) -> Bool) -> Bool {
    inbox.post(.tellIdle)
    guard wait(idle.descriptor) else { return false }
    idle.clear()
    return true
  }

  /// - Parameter count: ending signals that do not end the wait; see `SignalWatch.endingCount`.
  /// - Returns: false if another one has ended the wait.
  package func waitUntilIdle(hearing signals: SignalWatch, but count: Int = 0) -> Bool {
    waitUntilIdle { signals.wait(for: $0, .readable, but: count) }
  }

  /// Waits until nothing runs or waits, and ends the thread. A signal ends what runs.
  ///
  /// - Parameter count: as for `waitUntilIdle`.
  package func finish(hearing signals: SignalWatch, but count: Int = 0) {
    if !waitUntilIdle(hearing: signals, but: count) {
      cancelAll()
      inbox.post(.tellIdle)
      idle.wait()
    }
    end()
  }

  // MARK: The thread

  private func run() {
    var machine = ChildMachine(timeLimit: timeLimit)
    var children: [Int: Child] = [:]
    var tellsIdle = false
    var isEnding = false
    while true {
      wait(machine, children)
      var actions: [ChildMachine.Action] = []
      for message in inbox.takeAll() {
        switch message {
        case .added(let count): machine.added(count, now: Clock.now(), &actions)
        case .cancel(let tag):
          for (number, child) in children where child.tag == tag { machine.cancel(number, now: Clock.now(), &actions) }
        case .cancelAll(let patience): machine.cancelAll(patience: patience, now: Clock.now(), &actions)
        case .dropWaiting:
          let count = machine.dropWaiting()
          if count > 0 { source.dropped(count) }
        case .tellIdle: tellsIdle = true
        case .end: isEnding = true
        }
      }
      for (number, child) in children where child.process.hasEnded {
        children[number] = nil
        ended(child, machine.ended(number, now: Clock.now(), &actions))
      }
      machine.ticked(now: Clock.now(), &actions)
      perform(actions, &machine, &children)
      guard machine.isIdle else { continue }
      if tellsIdle { idle.signal() }
      tellsIdle = false
      if isEnding { return }
    }
  }

  private func wait(_ machine: ChildMachine, _ children: [Int: Child]) {
    let descriptors = children.values.compactMap(\.process.descriptor)
    let deadline = machine.nextDeadline
    var time = deadline == .distantFuture ? nil : max(.zero, deadline - Clock.now())
    if descriptors.count < children.count { time = min(time ?? Self.lookInterval, Self.lookInterval) }
    ChildProcess.wait(for: [inbox.descriptor] + descriptors, atMost: time)
  }

  private func perform(
    _ actions: [ChildMachine.Action], _ machine: inout ChildMachine, _ children: inout [Int: Child]
  ) {
    var left = actions[...]
    while let action = left.popFirst() {
      switch action {
      case .start(let number):
        var further: [ChildMachine.Action] = []
        if let child = startNext() {
          children[number] = child
        } else {
          _ = machine.ended(number, now: Clock.now(), &further)
        }
        left += further
      case .askToEnd(let number): children[number]?.process.askToEnd()
      case .kill(let number): children[number]?.process.kill()
      case .giveUp(let number):
        var further: [ChildMachine.Action] = []
        let cause = machine.ended(number, now: Clock.now(), &further)
        if let child = children.removeValue(forKey: number) { source.ended(child.tag, Self.end(cause) ?? .timedOut) }
        left += further
      }
    }
  }

  /// - Returns: nil where nothing was started, which the source knows.
  private func startNext() -> Child? {
    guard let (tag, command) = source.next() else { return nil }
    do throws(ChildStartError) { return Child(process: try ChildProcess(command), tag: tag) } catch {
      source.ended(tag, .notStarted(errno: error.errno))
      return nil
    }
  }

  private func ended(_ child: Child, _ cause: ChildMachine.Cause?) {
    let end = Self.end(cause)
    // What it has started must not outlive its time. Its process group exists until it is reaped.
    if end != nil { child.process.kill() }
    let own = child.process.reap()
    source.ended(child.tag, end ?? own)
  }

  private static func end(_ cause: ChildMachine.Cause?) -> ChildEnd? {
    switch cause {
    case .timeLimit: .timedOut
    case .cancelled: .cancelled
    case .itself, nil: nil
    }
  }
}
