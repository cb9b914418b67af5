internal import DownloadCore

/// Commands from outside, which reach the loop through `Engine.commands`.
extension Engine {
  func obeyCommands() {
    if commands.isEmpty { return }
    for command in commands.takeAll() { obey(command) }
  }

  private func obey(_ command: RunCommand) {
    switch command {
    case .add(let request):
      let isHeld = machine.control.verdict(on: request.item, of: request.group) == .hold
      guard items[request.item] == nil, requests.add(request, isHeld: isHeld) else { return }
      machine.requestAdded(request.item)
    case .change(let selection, let change): apply(change, to: selection)
    case .limitRate(let run, let perFile): rates.change(run: run, perFile: perFile, now: now)
    case .readSource: requests.readSource()
    case .stop: end.wasStopped = true
    }
  }

  private func apply(_ change: RunCommand.Change, to selection: RunCommand.Selection) {
    let selected = items.values.filter { selection.includes($0.number, of: $0.request.group) }
    if change == .pause { saveBuffered(selected) }
    var actions: [RunAction] = []
    machine.command(selection, change, now: now, &actions)
    perform(actions)
    guard let withdrawal = Withdrawal(change) else {
      _ = requests.apply(change, to: selection)
      return
    }
    // The machine does not know items whose existing file is being hashed, nor requests that have not begun.
    for item in selected where machine.file(item.number) == nil && items[item.number] === item {
      withdraw(item, withdrawal)
    }
    for request in requests.apply(change, to: selection) { endUnstarted(request, .withdrawn(withdrawal)) }
  }

  /// Stores and records what the items' transfers have collected.
  private func saveBuffered(_ selected: [ActiveItem]) {
    for item in selected {
      for transfer in transfers.of(item) where items[item.number] === item { flush(transfer) }
      if items[item.number] === item { recordNow(item) }
    }
  }

  /// Ends an item as a command asks, and removes its part file and sidecar.
  func withdraw(_ item: ActiveItem, _ withdrawal: Withdrawal) {
    item.storage?.removeAll()
    report(item, .withdrawn(withdrawal), byteCount: 0)
    forget(item)
  }
}
