internal import DownloadCore
internal import DownloadStore

/// What an order changes in the store, and how its changes of the state are taken back if that cannot be committed.
struct StoreOrder: Sendable {
  typealias Undo = @Sendable (inout SessionState) -> Void

  /// What is committed before the engine hears of the order.
  var rows: [StoreChange] = []
  private var undos: [Undo] = []

  /// The order has changed something in the state.
  mutating func add(undo: @escaping Undo) { undos.append(undo) }

  /// The order has changed a task's request and settings.
  mutating func add(undoTo before: TaskRecord) {
    undos.append { state in
      let id = before.id
      state.records[id]?.use(before.request)
      state.records[id]?.settings = before.settings
      state.records[id]?.needs = before.needs
      if before.wait != nil, !before.isSettled { state.records[id]?.phase = before.phase }
    }
  }

  func takeBack(in state: inout SessionState) { for undo in undos.reversed() { undo(&state) } }
}
