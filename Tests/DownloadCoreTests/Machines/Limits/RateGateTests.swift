import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Rate gate` {
  /// Transfers that always have data, throttled and admitted as the engine does it.
  private struct Crowd {
    var gate: RateGate
    /// The item of each transfer, by the transfer's index.
    let items: [Int]
    /// The host of each transfer, where it matters, and the group.
    var hosts: [Int: Int] = [:]
    var groups: [Int: Int] = [:]
    var taken: [Int64]
    var isWaiting: [Bool]
    var now = Instant.zero
    var random: SeededGenerator
    /// The number of reads that a transfer makes in its turn, or at once when it is not throttled.
    var mostPieces = 3

    init(_ gate: RateGate, items: [Int], seed: UInt64 = 1) {
      self.gate = gate
      self.items = items
      taken = Array(repeating: 0, count: items.count)
      isWaiting = Array(repeating: false, count: items.count)
      random = SeededGenerator(seed: seed)
    }

    private func membership(_ transfer: Int) -> RateMembership {
      `Rate gate`.membership(items[transfer], group: groups[transfer] ?? 0, host: hosts[transfer] ?? -1)
    }

    mutating func read(_ transfer: Int) {
      for _ in 0..<Int.random(in: 1...mostPieces, using: &random) {
        guard gate.admits(TransferID(number: transfer), membership(transfer), now: now)
        else {
          isWaiting[transfer] = true
          return
        }
        let piece = min(gate.pieceByteCount(membership(transfer)), Int.random(in: 512...16 << 10, using: &random))
        gate.took(piece, membership(transfer))
        taken[transfer] += Int64(piece)
      }
    }

    /// - Parameter eager: the transfer that always reads first.
    mutating func run(_ span: Duration, eager: Int? = nil) {
      let end = now + span
      while now < end {
        gate.beginRound()
        while let id = gate.next(now: now) {
          isWaiting[id.number] = false
          read(id.number)
        }
        for _ in 0..<4 {
          now = now + .microseconds(2500)
          for transfer in [eager].compactMap({ $0 }) + Array(items.indices) where !isWaiting[transfer] {
            read(transfer)
          }
        }
      }
    }

    func taken(ofItem item: Int) -> Int64 { items.indices.filter { items[$0] == item }.map { taken[$0] }.reduce(0, +) }
    var total: Int64 { taken.reduce(0, +) }
  }

  private static func membership(_ item: Int, group: Int = 0, host: Int = -1) -> RateMembership {
    RateMembership(item: ItemHandle(item), group: GroupID(UInt16(group)), host: Self.host(host))
  }

  private static func host(_ number: Int) -> Origin { Origin(scheme: .http, host: "h\(number)", port: 80) }

  @Test func `without limits no transfer waits`() {
    var gate = RateGate(now: .zero)
    #expect(!gate.isLimited && gate.pieceByteCount(Self.membership(1)) > 1 << 30)
    let admits = gate.admits(TransferID(number: 1), Self.membership(1), now: .zero)
    gate.took(1 << 40, Self.membership(1))
    let again = gate.admits(TransferID(number: 1), Self.membership(1), now: .zero)
    #expect(admits && again && !gate.isWaitedAt)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the run and each file use their limits and never exceed them`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let perFile = Int64.random(in: 100_000...1_000_000, using: &random)
    let fileCount = Int.random(in: 1...6, using: &random)
    let run = Int64.random(in: 100_000...4_000_000, using: &random)
    let items = (0..<fileCount).flatMap { item in
      Array(repeating: item, count: Int.random(in: 1...4, using: &random))
    }
    var crowd = Crowd(RateGate(run: run, perFile: perFile, now: .zero), items: items, seed: seed)
    crowd.run(.seconds(10))
    let all = min(run, perFile * Int64(fileCount)) * 10
    #expect(crowd.total >= all * 95 / 100 && crowd.total <= run * 10 * 102 / 100)
    for item in 0..<fileCount { #expect(crowd.taken(ofItem: item) <= perFile * 10 * 102 / 100) }
  }

  @Test(arguments: [3, 40, 400])
  func `every transfer gets a share, even beside one that is always first`(count: Int) {
    var crowd = Crowd(RateGate(run: 4_000_000, now: .zero), items: Array(0..<count))
    crowd.run(.seconds(20), eager: 1)
    let share = crowd.total / Int64(count)
    #expect(crowd.taken.allSatisfy { $0 > share / 2 && $0 < share * 2 }, "\(crowd.taken.min()!) of \(share)")
  }

  @Test func `a file at its limit does not delay the others`() {
    var crowd = Crowd(RateGate(run: 1_000_000, perFile: 100_000, now: .zero), items: [0, 0, 0, 0, 1, 2])
    crowd.run(.seconds(10))
    for item in 0..<3 { #expect(crowd.taken(ofItem: item) > 950_000) }
    #expect(!crowd.gate.isShort, "the run's limit has room")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `hosts, groups and files use their limits beside that of the run, and never exceed them`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limits = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      Int64.random(in: 50_000...500_000, using: &random)
    }
    let run: Int64? = Bool.random(using: &random) ? Int64.random(in: 3_000_000...6_000_000, using: &random) : nil
    var gate = RateGate(run: run, now: .zero)
    let kind = Int.random(in: 0..<3, using: &random)
    func scope(_ number: Int) -> RateScope {
      [.host(Self.host(number)), .group(GroupID(UInt16(number + 1))), .file(ItemHandle(number + 1))][kind]
    }
    for (number, limit) in limits.enumerated() { gate.change(scope(number), rate: limit, now: .zero) }
    // Two transfers under each limit, and two under none.
    let transfers = 0..<(2 * limits.count)
    var items = Array(repeating: 0, count: 2 * limits.count + 2)
    if kind == 2 { for transfer in transfers { items[transfer] = transfer / 2 + 1 } }
    var crowd = Crowd(gate, items: items, seed: seed)
    for transfer in transfers where kind == 0 { crowd.hosts[transfer] = transfer / 2 }
    for transfer in transfers where kind == 1 { crowd.groups[transfer] = transfer / 2 + 1 }
    crowd.run(.seconds(10))
    for (host, limit) in limits.enumerated() {
      let taken = crowd.taken[2 * host] + crowd.taken[2 * host + 1]
      #expect((limit * 10 * 95 / 100...limit * 10 * 102 / 100).contains(taken), "\(taken) of \(limit * 10)")
    }
    if let run { #expect((run * 10 * 95 / 100...run * 10 * 102 / 100).contains(crowd.total)) }
    let held = ItemHandle(kind == 2 ? 1 : 0)
    #expect(crowd.gate.decidesRate(of: held, now: crowd.now))
    for item in Set(items) { crowd.gate.forget(ItemHandle(item)) }
    #expect(!crowd.gate.isWaitedAt && !crowd.gate.decidesRate(of: held, now: crowd.now))
  }

  @Test func `all transfers continue when a limit is lifted`() {
    var crowd = Crowd(RateGate(run: 1000, perFile: 1000, now: .zero), items: [0, 1, 2])
    crowd.run(.seconds(1))
    #expect(crowd.gate.isWaitedAt && crowd.isWaiting.contains(true))
    crowd.gate.change(run: nil, perFile: nil, now: crowd.now)
    crowd.mostPieces = 1
    crowd.gate.beginRound()
    var released = 0
    while let id = crowd.gate.next(now: crowd.now) {
      crowd.isWaiting[id.number] = false
      crowd.read(id.number)
      released += 1
    }
    #expect(released > 0 && !crowd.isWaiting.contains(true) && !crowd.gate.isWaitedAt && !crowd.gate.isShort)
  }

  @Test func `a new or changed limit holds at once`() {
    var crowd = Crowd(RateGate(now: .zero), items: [0, 1])
    crowd.run(.milliseconds(100))
    crowd.gate.change(run: nil, perFile: 200_000, now: crowd.now)
    var before = crowd.total
    crowd.run(.seconds(10))
    #expect((3_800_000...4_100_000).contains(crowd.total - before))
    crowd.gate.change(run: 100_000, perFile: 90_000, now: crowd.now)
    before = crowd.total
    crowd.run(.seconds(10))
    #expect((950_000...1_030_000).contains(crowd.total - before))
  }

  @Test func `an ended transfer gets no turn`() {
    var gate = RateGate(run: 1000, now: .zero)
    gate.took(2000, Self.membership(0))
    for transfer in 0..<4 {
      let admits = gate.admits(TransferID(number: transfer), Self.membership(transfer), now: .zero)
      #expect(!admits)
    }
    gate.forget(0)
    gate.beginRound()
    let later = Instant.zero + .seconds(3)
    let first = gate.next(now: later)
    gate.forget(2)
    let second = gate.next(now: later)
    let third = gate.next(now: later)
    #expect(first?.number == 1 && second?.number == 3 && third == nil && !gate.isWaitedAt)
  }

  /// Each connection sends its bytes of a second at once.
  @Test(arguments: [(50_000, false), (100_000, true)])
  func `bursts below the limit on average are not due to it`(byteCount: Int, isDecided: Bool) {
    for perFile in [nil, Int64(100_000)] {
      var gate = RateGate(run: perFile == nil ? 100_000 : nil, perFile: perFile, now: .zero)
      var last = Instant.zero
      for second in Int64(0)..<5 {
        let now = Instant.zero + .seconds(Double(second))
        gate.beginRound()
        while gate.next(now: now) != nil {}
        let admits = gate.admits(TransferID(number: 1), Self.membership(0), now: now)
        #expect(admits)
        gate.took(byteCount, Self.membership(0))
        last = now + .milliseconds(100)
        let admitsMore = gate.admits(TransferID(number: 2), Self.membership(0), now: last)
        #expect(!admitsMore)
      }
      let decides = perFile == nil ? gate.decidesRate(now: last) : gate.decidesRate(of: 0, now: last)
      #expect(decides == isDecided)
    }
  }

  /// A generator draws the rate, when the first bytes arrive, and how late each round is.
  @Test(arguments: UInt64(0)..<50)
  func `a transfer that waits between long reads is held back by the limit`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rate = Int64.random(in: 1...16_000, using: &random)
    let isPerFile = Bool.random(using: &random)
    var gate = RateGate(run: isPerFile ? nil : rate, perFile: isPerFile ? rate : nil, now: .zero)
    var now = Instant.zero + .seconds(Double.random(in: 0...3, using: &random))
    let transfer = TransferID(number: 1)
    var isWaiting = false
    for _ in 0..<200 {
      if isWaiting {
        gate.beginRound()
        isWaiting = gate.next(now: now) == nil
      }
      while !isWaiting {
        isWaiting = !gate.admits(transfer, Self.membership(0), now: now)
        if !isWaiting { gate.took(1024, Self.membership(0)) }
      }
      let decides = isPerFile ? gate.decidesRate(of: 0, now: now) : gate.decidesRate(now: now)
      #expect(decides, "rate \(rate) at \(now)")
      now = now + .seconds(Double.random(in: 0...0.9, using: &random))
    }
  }
}
