internal import DownloadCore
internal import DownloadEngine

/// Another name for a task's file, which the engine gives to what is there of it.
extension SessionState {
  /// - Parameter name: below the directory of its request; nil is none.
  /// - Throws: if it cannot have this name, or none can be given to it now.
  func rename(_ record: inout TaskRecord, _ name: String?) throws(DownloadError) {
    guard let name else { throw record.error(.invalidValue, "a file has a name") }
    let components = try RequestChecker.components(ofName: Array(name.utf8))
    let path = record.directory + components.joined(separator: [UInt8(ascii: "/")])
    guard path != record.path else { return }
    switch record.phase {
    case .running, .verifying: throw record.running
    case .succeeded where record.placed == nil:
      throw record.error(.invalidState, "the file was there before the task, which does not rename it")
    case .waiting, .succeeded, .failed, .cancelled: break
    }
    if let other = records.task(at: path), other != record.id {
      throw record.error(.conflict, "another task has the target \(String(decoding: path, as: UTF8.self))")
    }
    record.move(to: path)
  }

  /// The engine has renamed a task's files, or has not.
  ///
  /// - Parameter new: the task with the name.
  /// - Returns: why it keeps its name; nil if it has the new one.
  mutating func renamed(
    _ new: TaskRecord, _ answer: EngineAnswer, _ effects: inout StateEffects
  ) -> DownloadError? {
    guard let record = records[new.id] else { return nil }
    guard answer == .done else {
      // The store has the new one.
      if let row = storedRequest(of: record) { effects.rows.append(row) }
      guard case .refused(let failure) = answer else { return record.running }
      // What is in the way, or else what is not renamed.
      let path = if case .targetTaken = failure.cause { new.path } else { record.path }
      return DownloadError(
        failure, of: record.id, url: nil, path: String(decoding: path, as: UTF8.self), status: nil)
    }
    records.retarget(record.id, to: new.path)
    records[record.id]?.takeName(of: new)
    if let record = records[record.id] { tellChange(of: record, &effects) }
    return nil
  }
}

extension TaskRecord {
  fileprivate var running: DownloadError { error(.invalidState, "the task runs: pause it before it is renamed") }
}
