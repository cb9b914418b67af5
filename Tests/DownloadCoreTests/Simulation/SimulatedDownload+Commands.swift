@testable import DownloadCore
import TestSupport

/// Commands in the middle of a run, and what must be true after each of them.
extension SimulatedDownload {
  func group(of item: Int) -> Int { item % 3 }

  /// The next item that the driver may begin, as the driver does it: those that commands hold back stay where they are,
  /// and those that were withdrawn end.
  func nextItem() -> Int? {
    for item in items.indices where !items[item].isAdded && items[item].result == nil {
      switch run.control.verdict(on: item, of: group(of: item)) {
      case .proceed: return item
      case .hold: continue
      case .withdraw(let withdrawal): withdraw(item, withdrawal)
      }
    }
    return nil
  }

  func command(_ selection: RunCommand.Selection, _ change: RunCommand.Change) {
    note("command \(selection) \(change)")
    // As the driver does it: nothing that is buffered is lost by a pause.
    if change == .pause {
      for (id, transfer) in transfers.sorted(by: { $0.key.number < $1.key.number })
      where selection.includes(transfer.order.item, of: group(of: transfer.order.item)) {
        flush(id)
        // Another request brings the rest.
        items[transfer.order.item].plannedCount -= 1
      }
    }
    commands.append((selection, change))
    var actions: [RunAction] = []
    run.command(selection, change, now: now, &actions)
    perform(actions)
    checkCommands()
  }

  /// What the commands so far want of an item; computed anew from all of them.
  private func wish(of item: Int) -> (isHeld: Bool, withdrawal: Withdrawal?) {
    let mine = commands.filter { $0.selection.includes(item, of: group(of: item)) }.map(\.change)
    return (
      mine.last { $0 == .pause || $0 == .resume } == .pause, mine.compactMap { Withdrawal($0) }.last
    )
  }

  /// Called after every command and before every start of a transfer.
  func checkCommands() {
    for item in Set(transfers.values.map(\.order.item)) {
      let wish = wish(of: item)
      if wish.isHeld { problem("item \(item) is paused and has a transfer") }
      if wish.withdrawal != nil { problem("item \(item) was withdrawn and has a transfer") }
    }
    // A complete file that was withdrawn while it was held ends when its conclusion does, and needs no place.
    let active = items.indices.count { run.file($0)?.isHeld == false && wish(of: $0).withdrawal == nil }
    if active > run.jobs { problem("\(active) files are active where \(run.jobs) may be") }
  }

  func withdraw(_ item: Int, _ withdrawal: Withdrawal) {
    note("withdrawn \(item) \(withdrawal)")
    if items[item].result != nil { problem("item \(item) ended twice") }
    if wish(of: item).withdrawal != withdrawal { problem("item \(item) is \(withdrawal), as nobody asked") }
    if transfers.values.contains(where: { $0.order.item == item }) {
      problem("item \(item) was withdrawn and has a transfer")
    }
    items[item].result = .withdrawn(withdrawal)
    clear(item)
    run.forget(item)
  }

  /// After the last item: no file, place or queue is occupied.
  func checkNothingIsLeft() {
    if !run.files.isEmpty { problem("the machine has \(run.files.count) files after the last item") }
    if run.heldCount != 0 { problem("\(run.heldCount) files are counted as held after the last item") }
    for host in run.hosts.all where !host.queue.isEmpty || host.fileCount != 0 || host.queuedCount != 0 {
      problem("\(host.queuedCount) of \(host.fileCount) items wait for \(host.origin.text) after the last item")
    }
    if !run.resuming.isEmpty { problem("items wait for a place after the last item") }
  }
}

extension SimulatedWorld {
  /// A run of files and commands at random times, of which the last one continues whatever is paused.
  static func drawingCommands(_ random: inout SeededGenerator) -> SimulatedWorld {
    var world = SimulatedWorld(&random)
    let count = Int.random(in: 1...30, using: &random)
    let span = Int64.random(in: 10...6000, using: &random)
    world.commands = (0..<count).map { _ in
      let selection: RunCommand.Selection =
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .run
        case 1...3: .group(Int.random(in: 0..<3, using: &random))
        default: .item(Int.random(in: 0..<world.files.count, using: &random))
        }
      let change: RunCommand.Change =
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: .pause
        case 4...6: .resume
        // Rarely the whole run, which ends it.
        case 7: selection == .run ? .pause : .cancel
        case 8: selection == .run ? .resume : .remove
        case 9: .prioritize(Int.random(in: -2...2, using: &random))
        case 10: .moveToFront
        default: .moveToBack
        }
      return (.zero + .milliseconds(Int64.random(in: 0...span, using: &random)), selection, change)
    }
    world.commands.append((.zero + .milliseconds(span + 1), .run, .resume))
    return world
  }
}
