import Testing

@testable import DownloadCore

@Suite struct `Commands of the user` {
  private typealias Action = ChildMachine.Action
  private static let start = Instant(nanoseconds: 1_000)

  private func actions(_ body: (inout [ChildMachine.Action]) -> Void) -> [ChildMachine.Action] {
    var actions: [ChildMachine.Action] = []
    body(&actions)
    return actions
  }

  /// Ends a command, and returns why it ended and what follows.
  private func end(
    _ number: Int, of machine: inout ChildMachine, now: Instant
  ) -> (cause: ChildMachine.Cause?, actions: [ChildMachine.Action]) {
    var actions: [ChildMachine.Action] = []
    let cause = machine.ended(number, now: now, &actions)
    return (cause, actions)
  }

  @Test func `run in order, four at a time`() {
    var machine = ChildMachine(timeLimit: nil)
    let now = Self.start
    #expect(machine.isIdle)
    let actions1 = actions { machine.added(2, now: now, &$0) }
    #expect(actions1 == [.start(0), .start(1)])
    let actions2 = actions { machine.added(5, now: now, &$0) }
    #expect(actions2 == [.start(2), .start(3)])
    #expect(machine.waitingCount == 3 && !machine.isIdle)
    let end3 = end(1, of: &machine, now: now)
    #expect(end3 == (.itself, [.start(4)]))
    let end4 = end(0, of: &machine, now: now)
    #expect(end4 == (.itself, [.start(5)]))
    // The end of a command is told once.
    let end5 = end(0, of: &machine, now: now)
    #expect(end5 == (nil, []))
    for number in [2, 3, 4, 5] { _ = actions { _ = machine.ended(number, now: now, &$0) } }
    #expect(!machine.isIdle && machine.waitingCount == 0)
    let actions6 = actions { _ = machine.ended(6, now: now, &$0) }
    #expect(actions6 == [] && machine.isIdle)
  }

  @Test func `have a time limit each, and are asked before they are killed`() {
    var machine = ChildMachine(timeLimit: .seconds(60))
    var now = Self.start
    _ = actions { machine.added(1, now: now, &$0) }
    now = now + .seconds(30)
    _ = actions { machine.added(1, now: now, &$0) }
    #expect(machine.nextDeadline == Self.start + .seconds(60))
    now = Self.start + .seconds(60)
    let actions7 = actions { machine.ticked(now: now, &$0) }
    #expect(actions7 == [.askToEnd(0)])
    let actions8 = actions { machine.ticked(now: now, &$0) }
    #expect(actions8 == [])
    #expect(machine.nextDeadline == now + ChildMachine.patience)
    now = now + ChildMachine.patience
    let actions9 = actions { machine.ticked(now: now, &$0) }
    #expect(actions9 == [.kill(0)])
    now = now + ChildMachine.patience
    let actions10 = actions { machine.ticked(now: now, &$0) }
    #expect(actions10 == [.giveUp(0)])
    let end11 = end(0, of: &machine, now: now)
    #expect(end11.cause == .timeLimit)
    #expect(machine.nextDeadline == Self.start + .seconds(90))
    let end12 = end(1, of: &machine, now: now)
    #expect(end12.cause == .itself)
    #expect(machine.isIdle && machine.nextDeadline == .distantFuture)
  }

  @Test func `without a limit run on`() {
    var machine = ChildMachine(timeLimit: nil)
    _ = actions { machine.added(1, now: Self.start, &$0) }
    #expect(machine.nextDeadline == .distantFuture)
    let actions13 = actions { machine.ticked(now: Self.start + .seconds(1_000_000), &$0) }
    #expect(actions13 == [])
  }

  @Test func `that wait are dropped, those that run go on`() {
    var machine = ChildMachine(timeLimit: nil)
    _ = actions { machine.added(10, now: Self.start, &$0) }
    let dropped = [machine.dropWaiting(), machine.dropWaiting()]
    #expect(dropped == [6, 0] && !machine.isIdle)
    let actions14 = actions { _ = machine.ended(0, now: Self.start, &$0) }
    #expect(actions14 == [])
  }

  @Test func `are cancelled alone or together, once`() {
    var machine = ChildMachine(timeLimit: .seconds(60))
    let now = Self.start
    _ = actions { machine.added(3, now: now, &$0) }
    let actions15 = actions { machine.cancel(1, now: now, &$0) }
    #expect(actions15 == [.askToEnd(1)])
    let actions16 = actions { machine.cancelAll(now: now, &$0) }
    #expect(actions16 == [.askToEnd(0), .askToEnd(2)])
    let actions17 = actions { machine.cancelAll(now: now, &$0) }
    #expect(actions17 == [])
    let actions18 = actions { machine.cancel(7, now: now, &$0) }
    #expect(actions18 == [])
    let end19 = end(1, of: &machine, now: now)
    #expect(end19.cause == .cancelled)
    let actions20 = actions { machine.ticked(now: now + ChildMachine.patience, &$0) }
    #expect(actions20 == [.kill(0), .kill(2)])
    let end21 = end(2, of: &machine, now: now)
    #expect(end21.cause == .cancelled)
  }

  @Test func `are never more than four, and each ends once, whatever happens`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var machine = ChildMachine(timeLimit: .seconds(10))
      var now = Self.start
      var running: Set<Int> = []
      var (added, started, dropped) = (0, 0, 0)
      for _ in 0..<200 {
        var actions: [ChildMachine.Action] = []
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let count = Int.random(in: 1...5, using: &random)
          added += count
          machine.added(count, now: now, &actions)
        case 1, 2:
          if let number = running.randomElement(using: &random) {
            running.remove(number)
            let cause = machine.ended(number, now: now, &actions)
            #expect(cause != nil)
          }
        case 3:
          now = now + .seconds(Int64.random(in: 0...7, using: &random))
          machine.ticked(now: now, &actions)
        case 4: if let number = running.randomElement() { machine.cancel(number, now: now, &actions) }
        default: if Int.random(in: 0..<20, using: &random) == 0 { dropped += machine.dropWaiting() }
        }
        for action in actions {
          switch action {
          case .start(let number):
            let isNew = running.insert(number).inserted
            #expect(isNew)
            started += 1
          case .askToEnd(let number), .kill(let number), .giveUp(let number): #expect(running.contains(number))
          }
        }
        #expect(running.count <= ChildMachine.most && started + dropped + machine.waitingCount == added)
        #expect(machine.isIdle == (running.isEmpty && machine.waitingCount == 0))
      }
    }
  }

  @Test func `less patience ends what was asked to end before, too`() {
    var machine = ChildMachine(timeLimit: nil)
    var actions: [ChildMachine.Action] = []
    machine.added(2, now: .zero, &actions)
    machine.cancel(0, now: .zero, &actions)
    actions = []
    machine.cancelAll(patience: .milliseconds(300), now: .zero + .seconds(1), &actions)
    #expect(actions == [.askToEnd(1)] && machine.nextDeadline == .zero + .milliseconds(1300))
    machine.ticked(now: .zero + .milliseconds(1299), &actions)
    #expect(actions.count == 1)
    machine.ticked(now: .zero + .milliseconds(1300), &actions)
    #expect(actions.dropFirst() == [.kill(0), .kill(1)])
    // It never takes longer for it.
    machine.cancelAll(patience: .seconds(50), now: .zero + .seconds(2), &actions)
    #expect(machine.nextDeadline == .zero + .milliseconds(6300))
  }
}
