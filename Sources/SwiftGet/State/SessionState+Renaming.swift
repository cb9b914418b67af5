internal import DownloadCore
internal import DownloadEngine

/// Another name for a task's file. The engine renames what is there, and the name is taken back if it cannot.
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
    if let other = task(at: path), other != record.id {
      throw record.error(.conflict, "another task has the target \(String(decoding: path, as: UTF8.self))")
    }
    record.move(to: path)
    if case .succeeded(let file) = record.phase { record.phase = .succeeded(file.renamed(path)) }
  }

  /// The task is this from now on, and may have another target.
  mutating func move(_ id: TaskID, to new: TaskRecord) {
    if let before = records[id], before.path != new.path {
      targets.remove(id, before.path)
      setTarget(new.path, to: id)
    }
    records[id] = new
  }

  mutating func takeBackName(of before: TaskRecord) {
    guard var record = records[before.id], record.path != before.path else { return }
    record.takeName(of: before)
    move(before.id, to: record)
  }

  mutating func takeBackName(of before: TaskRecord, _ effects: inout StateEffects) {
    takeBackName(of: before)
    if let row = storedRequest(of: before.id) { effects.rows.append(row) }
    if let record = records[before.id] { tellChange(of: record, &effects) }
  }
}

extension TaskRecord {
  fileprivate var running: DownloadError { error(.invalidState, "the task runs: pause it before it is renamed") }

  /// Why the engine has not renamed its files.
  ///
  /// - Parameter path: that it was to have.
  func notRenamed(_ answer: EngineAnswer, to path: [UInt8]) -> DownloadError {
    if case .refused(let failure) = answer {
      return DownloadError(failure, of: id, url: nil, path: String(decoding: path, as: UTF8.self), status: nil)
    }
    return running
  }
}
