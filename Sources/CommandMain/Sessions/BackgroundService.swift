internal import CSwiftGetShims
internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import DownloadScratch
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
