internal import CSwiftGetShims
internal import CommandControl
internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import DownloadScratch
internal import DownloadWords
internal import Glibc

/// A copy of this program that works on a session behind the terminal, until all of its tasks have settled.
final class BackgroundService {
  let process: pid_t
  /// As long as it is open, files are still being added.
  private var input: Int32
  private var lastStatus: Int32?

  /// It starts in this directory, with these variables and with the same configuration.
  ///
  /// - Returns: nil if the process cannot be started.
  init?(_ session: SessionChoice, _ invocation: Invocation) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var words = ["swiftget", "serve", "--until-settled", "-S", session.name].map { Array($0.utf8) }
    func add(_ option: String, _ value: [UInt8]?) { if let value { words += [Array(option.utf8), value] } }
    add("--session-dir", session.parent.map { Array($0.utf8) })
    if let file = invocation.standing.file {
      add("--config", file.path)
    } else {
      words.append(Array("--no-config".utf8))
    }
    words += invocation.worker?.words ?? []
    let text = words.flatMap { $0 + [0] }.map { CChar(bitPattern: $0) }
    let started = process_start_in_background(text, words.count, ends[0])
    close(ends[0])
    input = ends[1]
    guard started > 0 else {
      close(ends[1])
      return nil
    }
    process = pid_t(started)
  }

  deinit { end() }

  /// Its exit status, once it has ended.
  var exitStatus: Int32? {
    var status: Int32 = 0
    if lastStatus == nil, waitpid(process, &status, WNOHANG) == process {
      lastStatus = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
    }
    return lastStatus
  }

  /// No more files are added: it ends once all have settled.
  func end() {
    if input >= 0 { close(input) }
    input = -1
  }
}

/// Starts a process in the background as often as nobody works on the session.
final class BackgroundStart {
  private let session: SessionChoice
  private let invocation: Invocation
  private var service: BackgroundService?
  /// How the process has ended; nil if it has not, or if another one was only quicker.
  private(set) var exit: Int32?

  init(_ session: SessionChoice, _ invocation: Invocation) { (self.session, self.invocation) = (session, invocation) }

  /// The process that was started last.
  var process: Int64? { service.map { Int64($0.process) } }

  /// Nobody works on the session, or the process has ended that did. Another one may have been quicker, and have ended.
  ///
  /// - Returns: whether a process may begin to work.
  func mayCome(isTakenElsewhere: Bool) throws(ControlFailure) -> Bool {
    exit = service?.exitStatus
    if exit == ExitStatus.tryLater.rawValue, !isTakenElsewhere { (service, exit) = (nil, nil) }
    if service == nil {
      service = BackgroundService(session, invocation)
      guard service != nil else { throw ControlFailure("no process can be started in the background") }
    }
    return exit == nil
  }

  /// As that of `BackgroundService`.
  func end() { service?.end() }
}
