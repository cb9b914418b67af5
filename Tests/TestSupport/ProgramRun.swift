import Dispatch
package import Glibc

/// The result of a program: its status, output and resources.
package struct ProgramResult: Sendable {
  /// The exit status; `nil` when a signal ended it.
  package var status: Int32?
  package var signal: Int32?
  package var output: [UInt8] = []
  /// The bytes of standard error or the terminal.
  package var error: [UInt8] = []
  /// The largest resident set, sampled every few milliseconds. The one of `wait4` includes the size of the test process
  /// at the fork.
  package var peakResidentKiB: Int64 = 0
  /// User and system time.
  package var cpuSeconds = 0.0
  package var wallSeconds = 0.0
  /// Whether it was killed at its time limit.
  package var timedOut = false

  package var outputText: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: error, as: UTF8.self) }
}

/// A program to run, with its environment.
package struct ProgramInvocation: Sendable {
  /// Absolute.
  package var path: String
  package var arguments: [String]
  /// Added to a small fixed set without proxies and without the configuration of the user who runs the tests.
  package var environment: [String: String] = [:]
  package var directory: String?
  /// Written to a pipe; `nil` is /dev/null.
  package var input: [UInt8]?
  /// Standard descriptors (0, 1, 2) that are closed when the program starts.
  package var closedDescriptors: Set<Int32> = []
  /// The file that standard output is written to instead of a pipe, such as `/dev/full`.
  package var outputPath: String?
  package var descriptorLimit: Int?
  /// Standard error, and output where no path is given, are a terminal of this size.
  package var terminal: (columns: UInt16, rows: UInt16)?
  /// The program is killed after this many seconds.
  package var timeLimit: Double = 120

  package init(_ path: String, _ arguments: [String] = []) {
    self.path = path
    self.arguments = arguments
  }
}

/// Runs a program to its end.
///
/// - Throws: when it cannot be started. A failure of the program is in the result.
package func runProgram(
  _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
  input: [UInt8]? = nil, timeLimit: Double = 120, closedDescriptors: Set<Int32> = []
) throws -> ProgramResult {
  var invocation = ProgramInvocation(path, arguments)
  invocation.environment = environment
  invocation.directory = directory
  invocation.input = input
  invocation.timeLimit = timeLimit
  invocation.closedDescriptors = closedDescriptors
  return try SpawnedProgram(invocation).wait()
}

/// The path of a program of this package: what `SWIFTGET_BINARY` names, else the one built next to these tests.
package func swiftgetPath() throws -> String {
  if let named = getenv("SWIFTGET_BINARY") { return String(cString: named) }
  let path = try productPath("swiftget")
  guard access(path, X_OK) == 0 else { throw TestSupportError("no program at \(path); SWIFTGET_BINARY names another") }
  return path
}

/// The path of a product of this package, next to these tests.
package func productPath(_ name: String) throws -> String {
  var buffer = [UInt8](repeating: 0, count: 4096)
  let count = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
  guard count > 0 else { throw TestSupportError.systemCall("readlink /proc/self/exe", errno) }
  let directory = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "/").dropLast()
  return "/" + (directory + [name[...]]).joined(separator: "/")
}

/// A running program. A thread reads its pipes and waits for its end.
package final class SpawnedProgram: Sendable {
  private struct State {
    var result = ProgramResult()
    /// Reaped, so its process id may be reused.
    var isReaped = false
  }

  package let identifier: pid_t
  private let state = Locked(State())
  private let ended = DispatchGroup()

  package init(_ invocation: ProgramInvocation) throws {
    let started = monotonicSeconds()
    let child = try spawnChild(invocation)
    identifier = child.identifier
    ended.enter()
    startThread { [self] in
      collect(child, input: invocation.input ?? [], started: started, timeLimit: invocation.timeLimit)
      ended.leave()
    }
  }

  package convenience init(_ path: String, _ arguments: [String] = []) throws {
    try self.init(ProgramInvocation(path, arguments))
  }

  /// Does nothing once it has ended.
  package func kill(_ signal: Int32 = SIGKILL) {
    state.withLock { state in if !state.isReaped { _ = Glibc.kill(identifier, signal) } }
  }

  package var isRunning: Bool { state.withLock { !$0.isReaped } }

  /// The output so far.
  package var outputSoFar: String { state.withLock { $0.result.outputText } }
  package var errorSoFar: String { state.withLock { $0.result.errorText } }

  /// Returns when the program has ended, at the latest after its time limit.
  package func wait() -> ProgramResult {
    ended.wait()
    return state.withLock { $0.result }
  }

  private func collect(_ child: SpawnedChild, input: [UInt8], started: Double, timeLimit: Double) {
    var input = input[...]
    var toInput = child.input
    var fromOutput = child.output
    var fromError = child.error
    var sinceExit = 0
    while true {
      if input.isEmpty, let descriptor = toInput {
        close(descriptor)
        toInput = nil
      }
      var entries = [
        pollfd(fd: fromOutput ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: fromError ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: toInput ?? -1, events: Int16(POLLOUT), revents: 0),
      ]
      poll(&entries, 3, 5)
      if entries[0].revents != 0 { take(&fromOutput, into: \.output) }
      if entries[1].revents != 0 { take(&fromError, into: \.error) }
      if entries[2].revents != 0, let descriptor = toInput {
        let count = input.withUnsafeBytes { write(descriptor, $0.baseAddress, min($0.count, 4096)) }
        if count > 0 { input = input.dropFirst(count) } else { input = [] }
      }
      if isRunning {
        notePeak()
        if monotonicSeconds() - started > timeLimit {
          state.withLock { $0.result.timedOut = true }
          kill()
        }
        reap(started: started)
      } else {
        // A grandchild may hold the pipes open; the program's own output has been read.
        sinceExit += 1
        if (fromOutput == nil && fromError == nil) || sinceExit > 200 { break }
      }
    }
    for descriptor in [toInput, fromOutput, fromError] { if let descriptor { close(descriptor) } }
  }

  private func take(_ descriptor: inout Int32?, into part: WritableKeyPath<ProgramResult, [UInt8]> & Sendable) {
    guard let open = descriptor else { return }
    let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = max(0, read(open, buffer.baseAddress, buffer.count))
    }
    if bytes.isEmpty {
      close(open)
      descriptor = nil
    } else {
      state.withLock { $0.result[keyPath: part] += bytes }
    }
  }

  private func notePeak() {
    guard let text = try? readFile("/proc/\(identifier)/status") else { return }
    let line = text.split(separator: 10).first { $0.starts(with: "VmHWM:".utf8) } ?? []
    let digits = line.filter { (48...57).contains($0) }
    guard let size = Int64(String(decoding: digits, as: UTF8.self)) else { return }
    state.withLock { $0.result.peakResidentKiB = max($0.result.peakResidentKiB, size) }
  }

  private func reap(started: Double) {
    state.withLock { state in
      var status: Int32 = 0
      var usage = rusage()
      guard wait4(identifier, &status, WNOHANG, &usage) == identifier else { return }
      state.isReaped = true
      state.result.wallSeconds = monotonicSeconds() - started
      let user = Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6
      let system = Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6
      state.result.cpuSeconds = user + system
      // Swift does not import macros such as WIFEXITED.
      if status & 0x7f == 0 { state.result.status = (status >> 8) & 0xff } else { state.result.signal = status & 0x7f }
    }
  }
}
