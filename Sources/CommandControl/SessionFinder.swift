internal import DownloadControl
internal import DownloadCore
internal import DownloadFiles
internal import DownloadStore
internal import DownloadTransport
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// Finds the way to a session: its worker's socket, or its database if nobody works on it.
struct SessionFinder {
  let name: String
  /// The directory of the caller's that has the session's directory; nil is the usual one.
  let parent: String?
  /// Of the session, absolute.
  let path: [UInt8]

  /// How long a process is waited for that just begins, or just ends.
  private static let patience = Duration.seconds(10)

  init(_ name: String, in parent: String?) throws(ControlFailure) {
    (self.name, self.parent) = (name, parent)
    do throws(DownloadError) { path = try SessionPlace.path(of: name, in: parent) } catch {
      throw ControlFailure(.usage, error.message)
    }
  }

  /// - Parameter isMade: whether a session that is missing is made.
  /// - Throws: status 4 if there is no such session, 3 if it cannot be reached.
  func connect(isMade: Bool = false) throws(ControlFailure) -> any ControlConnection {
    let deadline = Clock.now() + Self.patience
    while true {
      if let connection = try worker(isStarted: isMade) { return connection }
      do throws(DownloadError) { return try idle(isMade: isMade) } catch {
        switch error.code {
        case .unknownSession: throw missing
        case .busy where holder?.isOfThisHost ?? true && Clock.now() < deadline: Waiting.pause(.milliseconds(10))
        default: throw ControlFailure(error)
        }
      }
    }
  }

  /// The process that works on the session, as far as its lock file tells.
  var holder: SessionHolder? { SessionFiles.holder(of: path) }

  /// The process that works on the session; nil if nobody listens.
  ///
  /// - Parameter isStarted: whether a manager of services that listens for such a process is asked to start it.
  func worker(isStarted: Bool = false) throws(ControlFailure) -> (any ControlConnection)? {
    let holder = holder.flatMap { $0.mayWork ? $0 : nil }
    guard let place = socket(of: holder, isStarted: isStarted) else { return nil }
    do throws(ControlClient.Problem) { return try WorkerConnection(to: place, session: name, at: path) } catch {
      switch error {
      case .notConnected, .closed: return nil
      case .timedOut:
        let process = holder.map { "the process that works on session \(name) (pid \($0.process.process))" }
        throw ControlFailure(.store, "\(process ?? "what listens for session \(name)") does not answer")
      case .notUnderstood:
        throw ControlFailure(.store, "what listens for session \(name) does not speak the protocol of swiftget")
      case .refused(let error): throw ControlFailure(.store, error.message)
      }
    }
  }

  private func socket(of holder: SessionHolder?, isStarted: Bool) -> ControlSocket? {
    guard let holder else { return isStarted ? SessionPlace.socket(of: path, name: parent == nil ? name : nil) : nil }
    return holder.isOfThisHost ? holder.socket.flatMap { ControlSocket(path: $0) } : nil
  }

  private func idle(isMade: Bool) throws(DownloadError) -> any ControlConnection {
    let (name, parent) = (name, parent)
    let opened = Waiting.outcome { () async throws(DownloadError) in
      try await IdleSession.open(name, in: parent, isMade: isMade)
    }
    return IdleConnection(try opened.get(), session: name)
  }

  private var missing: ControlFailure {
    if let damaged = SessionStore.damagedDatabases(of: path).last {
      return ControlFailure(
        .noSession,
        "session \(name) has no database: a damaged one is \(NamedFiles.shown(path + Array("/".utf8) + damaged))",
        hint: "'swiftget -S \(name)' begins an empty session; the same list takes over the files that are there")
    }
    return ControlFailure(
      .noSession, "no session \(name)",
      hint: "'swiftget ctl sessions' lists them; 'swiftget -S \(name)' with files creates one")
  }

  /// The names of all sessions, sorted.
  ///
  /// - Parameter parent: as `parent`.
  static func names(in parent: String?) throws(ControlFailure) -> [String] {
    let place: [UInt8]
    do throws(DownloadError) { place = try SessionPlace.path(of: "x", in: parent).dropLast(2) } catch {
      throw ControlFailure(.usage, error.message)
    }
    do throws(SystemCallError) {
      let directory = try SystemCalls.openat(SystemCalls.workingDirectory, place, O_RDONLY | O_DIRECTORY)
      let names = try DirectoryNames.read(directory.raw).compactMap {
        SessionName(String(decoding: $0, as: UTF8.self))?.text
      }
      return names.filter { name in
        (try? SystemCalls.fstatat(directory.raw, Array("\(name)/session.db".utf8))) != nil
      }.sorted()
    } catch {
      if error.isMissing { return [] }
      throw ControlFailure(.store, "\(String(decoding: place, as: UTF8.self)) cannot be read: \(reason(error.errno))")
    }
  }

  private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
