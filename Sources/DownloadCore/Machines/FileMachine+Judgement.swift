/// What the user's own check of a complete file means.
extension FileMachine {
  /// The command of `--verify-command` has rejected the content, which matches all digests. It is not fetched again: the
  /// same content would come.
  package mutating func rejected(_ error: DownloadError, _ actions: inout [RunAction]) {
    switch phase {
    case .concluding: break
    // A failure that was reported during the judgement takes precedence.
    case .ended: return
    case .running: return failImpossible("rejected", &actions)
    }
    phase = .ended
    actions.append(.setAside(item: item))
    actions.append(.fail(item: item, error))
  }
}

extension RunMachine {
  package mutating func rejected(_ item: ItemHandle, _ error: DownloadError, _ actions: inout [RunAction]) {
    change(item, &actions) { $0.rejected(error, &$1) }
  }
}
