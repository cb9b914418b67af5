/// The calls of one client. They are obeyed one after the other, in their order; while one is obeyed the next is prepared.
struct CallQueue: Sendable {
  /// Returns when the turn of the call that came last has come.
  private var lastTurn: (@Sendable () async -> Void)?
  /// Returns when the call that came last has been obeyed.
  private var lastEnd: (@Sendable () async -> Void)?

  /// - Parameters:
  ///   - prepare: does what does not depend on the calls before this one.
  ///   - obey: does the rest, when those have been obeyed.
  /// - Returns: the task that ends when the call has been obeyed.
  @discardableResult
  mutating func append<Prepared: Sendable, Value: Sendable>(
    prepare: @escaping @Sendable () async -> Prepared, obey: @escaping @Sendable (Prepared) async -> Value
  ) -> Task<Value, Never> {
    let (turnBefore, endBefore) = (lastTurn, lastEnd)
    let turn = Task {
      await turnBefore?()
      let prepared = await prepare()
      await endBefore?()
      return prepared
    }
    let end = Task { await obey(turn.value) }
    lastTurn = { _ = await turn.value }
    lastEnd = { _ = await end.value }
    return end
  }
}
