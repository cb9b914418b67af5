import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite(.waiting) struct `Turns of a hash thread` {
  /// Work that needs a number of turns.
  private final class Work: HashWork {
    let name: Int
    var item: ItemHandle { ItemHandle(name) }
    var turnCount: Int

    init(_ name: Int, turns: Int) {
      self.name = name
      turnCount = turns
    }

    func step(_ block: UnsafeMutableRawBufferPointer) -> HashStep {
      turnCount -= 1
      return turnCount <= 0 ? .finished(nil) : .unfinished
    }
  }

  /// Takes one turn.
  /// - Returns: the name, and whether the work is done.
  private func take(_ turns: inout HashTurns) -> (name: Int, isDone: Bool)? {
    guard let turn = turns.next(), let work = turn.work as? Work else { return nil }
    if case .finished = work.step(UnsafeMutableRawBufferPointer(start: nil, count: 0)) { return (work.name, true) }
    turns.putBack(turn)
    return (work.name, false)
  }

  @Test func `go to new work and to the first that has begun, and from kind to kind`() {
    var turns = HashTurns()
    for name in [1, 2] { turns.add(Work(name, turns: 3), .existing) }
    turns.add(Work(3, turns: 1), .existing)
    turns.add(Work(4, turns: 2), .piece)
    var names: [Int] = []
    while let (name, _) = take(&turns) { names.append(name) }
    // The first large file is done before the second one goes on.
    #expect(names == [1, 4, 1, 4, 2, 1, 3, 2, 2])
    #expect(turns.isEmpty)
  }

  /// Whatever is waiting, new work has its turn after all new work before it, each with one turn of begun work and one of
  /// each other kind; and everything ends.
  @Test func `keep small work waiting for no large one, whatever there is`() {
    for seed in UInt64(1)...300 {
      var random = SeededGenerator(seed: seed)
      var turns = HashTurns()
      var waiting: [Int: Int] = [:]
      var (name, doneCount, newCount) = (0, 0, [Int](repeating: 0, count: 4))
      var limits: [Int: Int] = [:]
      var seen: Set<Int> = []
      while name < 60 || !turns.isEmpty {
        if name < 60, Bool.random(using: &random) {
          let kind = HashTurns.Kind.allCases.randomElement(using: &random)!
          newCount[kind.rawValue] += 1
          limits[name] = (2 * newCount[kind.rawValue] + 2) * 4
          waiting[name] = 0
          turns.add(Work(name, turns: [1, 1, 1, 200].randomElement(using: &random)!), kind)
          name += 1
          continue
        }
        guard let (turn, isDone) = take(&turns) else { continue }
        if seen.insert(turn).inserted {
          #expect(waiting[turn]! <= limits[turn]!, "seed \(seed): \(turn)")
          waiting[turn] = nil
        }
        if isDone { doneCount += 1 }
        for other in waiting.keys { waiting[other]! += 1 }
      }
      #expect(doneCount == 60 && waiting.isEmpty)
    }
  }

  @Test func `are not given to what was removed`() {
    var turns = HashTurns()
    for name in 0..<4 { turns.add(Work(name, turns: 2), .partial) }
    _ = take(&turns)
    turns.remove(.partial) { ($0 as? Work)?.name.isMultiple(of: 2) ?? false }
    var names: Set<Int> = []
    while let (name, _) = take(&turns) { names.insert(name) }
    #expect(names == [1, 3])
  }

  /// A file that is there is hashed for seconds; a small one, a piece, a download, and another file that is there have
  /// their answers before it.
  @Test func `let everything else go before the end of a large file`() throws {
    let workers = try WorkerRig(syncs: false)
    let giant = try workers.directory.resolve([Array("giant".utf8)])
    try workers.scratch.write("giant", "")
    try workers.scratch.write("there", "abc")
    #expect(truncate(workers.scratch.path("giant"), 100 << 20) == 0)
    let content = Content.text("abc")
    let wanted = try digest(content)
    let part = try workers.part("f", content)
    let handle: ItemHandle = 2
    let small = SmallJob(
      item: 4,
      file: SmallFile(place: try workers.place("small"), body: FilledBlock(copying: "abd".utf8)),
      expected: [ExpectedDigest(wanted, .given)])
    let expected = [ExpectedDigest(wanted, .given)]
    let replies = workers.hash(
      .existing(0, giant, expected: expected, FileAttributes()),
      .existing(1, try workers.place("there"), expected: expected, FileAttributes()),
      .follow(handle, part, [.sha256]), .finish(handle, completeLength: 3),
      .piece(handle, part, PieceCheck(index: 0, range: 0..<3, expected: wanted, number: 1)), workers.small(small))
    let order = replies.map { reply in
      switch reply {
      case .existingWrong(let item): "wrong \(item.number)"
      case .existingRight(let item, _, _, _): "right \(item.number)"
      case .hashed(_, [wanted]): "hashed"
      case .pieceHashed(_, _, wanted): "piece"
      case .smallMismatched: "small"
      default: "\(reply)"
      }
    }
    #expect(Set(order.dropLast()) == ["right 1", "hashed", "piece", "small"] && order.last == "wrong 0", "\(order)")
  }
}
