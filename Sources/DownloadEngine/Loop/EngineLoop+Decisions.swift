internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Answers to questions about tasks. `ItemRunner+Decisions` asks about active ones, `Admission` about the others.
extension EngineLoop {
  /// An answer has come from another thread.
  func decided(_ number: Int, _ decision: EngineDecision) {
    guard
      let (handle, decision, question) = state.gate.answered(
        number, decision, now: state.now, retries: retriesOfQuestions, random: state.random())
    else { return }
    obey(decision, on: question, handle)
  }

  /// What nobody has answered in time, however often it was asked, is not decided.
  func endOverdue() {
    for (handle, question) in state.gate.takeOverdue(now: state.now, retries: retriesOfQuestions) {
      obey(.undecided(Failure(.undecided)), on: question, handle)
    }
  }

  private func retriesOfQuestions(of handle: ItemHandle) -> Retries {
    let request = state.items[handle]?.request ?? state.gate.sources[handle]
    return (request?.settings?.over(state.machine.fileSettings) ?? state.machine.fileSettings).retries
  }

  private func obey(_ decision: EngineDecision, on question: EngineQuestion, _ handle: ItemHandle) {
    if let request = state.gate.sources.take(handle) {
      // A command may have changed it.
      if !state.endsEarly, state.queue.task(of: handle) != nil {
        admission.begin(state.requests[request.task] ?? request, handle, from: decision)
      }
      return
    }
    if let item = state.items[handle] { itemRunner.obey(decision, on: question, item) }
  }
}
