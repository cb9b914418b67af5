import Glibc
import TestSupport
import Testing

@testable import SwiftGet

/// What belongs to the program that uses the library.
@Suite(.waiting) struct `A program that downloads` {
  /// How the kernel treats the process, apart from its threads and files.
  private struct Habits: Equatable {
    /// The handler of each signal, and its flags.
    var signals: [[UInt8]]
    /// The umask, and the signals that its first thread blocks.
    var status: [Substring]
    var limits: String
    var directory: String?

    init() throws {
      signals = (Int32(1)...64).map { number in
        var action = sigaction()
        sigaction(number, nil, &action)
        return withUnsafeBytes(of: action.__sigaction_handler) { Array($0) }
          + withUnsafeBytes(of: action.sa_flags) { Array($0) }
      }
      let text = String(decoding: try readFile("/proc/self/status"), as: UTF8.self)
      status = text.split(separator: "\n").filter { $0.hasPrefix("Umask:") || $0.hasPrefix("SigBlk:") }
      limits = String(decoding: try readFile("/proc/self/limits"), as: UTF8.self)
      directory = getcwd(nil, 0).map { path in
        defer { free(path) }
        return String(cString: path)
      }
    }
  }

  @Test func `keeps its signals, umask, limits, working directory and outputs`() async {
    await #expect(processExitsWith: .success) {
      let content = Content.generated(seed: 17, byteCount: 3_000_000)
      let rig = try SessionRig(["/f": content])
      for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
        let output = open(rig.target.path("output"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        #expect(dup2(output, descriptor) == descriptor)
      }
      #expect(chdir(rig.target.path) == 0)
      signal(SIGINT) { _ in }
      let before = try Habits()
      #expect(before.signals.count == 64 && before.status.count == 2 && before.directory == rig.target.path)
      let session = SessionRig.session(in: rig.target) { $0.directory = "t" }
      rig.stall()
      let task = try await session.add(rig.request("/f")).task
      #expect(await eventually { task.latest.progress.bytes >= 300_000 })
      #expect(try Habits() == before)
      #expect(chdir("/") == 0)
      rig.goOn()
      #expect(await code { try await session.add(rig.request("/absent")).task.result() } != nil)
      try await task.pause()
      try await task.resume()
      #expect(try await task.result().path == rig.target.path("t/f"), "a relative directory is that of the add")
      await session.close()
      #expect(chdir(rig.target.path) == 0)
      #expect(try Habits() == before)
      #expect(try rig.target.read("output").isEmpty)
    }
  }
}
