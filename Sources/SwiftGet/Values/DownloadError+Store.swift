internal import DownloadStore
internal import DownloadWords

/// What the store's errors are for the caller.
extension DownloadError {
  init(_ error: StoreError, session name: String) {
    switch error {
    case .held(let holder?):
      self.init(
        .busy, "session \(name) is worked on by \(holder.host) (pid \(holder.process.process))")
    case .held(nil): self.init(.busy, "session \(name) is worked on by another process")
    case .missing: self.init(.unknownSession, "there is no session \(name)")
    case .laterFormat(let format):
      self.init(
        .unusableStore, "a later version has written the database of session \(name) (format \(format))",
        hint: "use that version")
    case .damaged(let path):
      self.init(
        .unusableStore,
        "the database of session \(name) is damaged, and was set aside as \(String(decoding: path, as: UTF8.self))",
        hint: "opened again, the session is empty; the same list takes over the files that are there")
    case .notOwnDirectory:
      self.init(.unusableStore, "the directory of session \(name) belongs to another user, or others may write to it")
    case .pathTooLong: self.init(.unusableStore, "the path of session \(name)'s directory is too long")
    case .database(let error):
      self.init(.unusableStore, "the database of session \(name) cannot be used: \(error.message)")
    case .noThread: self.init(.unusableStore, "the system has no more threads")
    case .file(let error):
      self.init(
        .unusableStore, "the directory of session \(name) cannot be used: \(SystemMessages.reason(error.errno))")
    }
  }

  init(notSaved error: DatabaseError) {
    self.init(
      .notSaved, "the session's database cannot take it: \(error.message)",
      hint: error.kind == .outOfSpace ? "make room on its disk; downloads continue meanwhile" : nil)
  }
}
