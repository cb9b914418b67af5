import Glibc
import SwiftGet
import TestSupport
import Testing

/// What a session leaves alone in the process that has it.
@Suite(.waiting) struct `The process of a session` {
  private struct Facts: Equatable {
    var mask: [Substring]
    var directory: String
    var limits: [UInt]
    var handlers: [Int]
    var locale: String

    init() throws {
      mask = try String(decoding: readFile("/proc/self/status"), as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("Umask:") }
      directory = String(cString: getcwd(nil, 0))
      limits = [RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CORE].map { resource in
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        return limit.rlim_cur
      }
      handlers = (Int32(1)...31).map { signal in
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      }
      locale = String(cString: setlocale(LC_ALL, nil))
    }
  }

  /// Threads in which a signal is blocked.
  private func blockedCount(of signal: Int32) throws -> Int {
    try names(in: "/proc/self/task").count { thread in
      guard let status = try? readFile("/proc/self/task/\(thread)/status") else { return false }
      let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16) } ?? 0
      return mask & 1 << UInt64(signal - 1) != 0
    }
  }

  private func names(in directory: String) throws -> [String] {
    guard let stream = opendir(directory) else { throw TestSupportError(directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  @Test func `keeps its mask, directory, limits, handlers and locale`() async throws {
    let before = try Facts()
    let content = Content.generated(seed: 103, byteCount: 2_000_000)
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { task.latest.progress.bytes >= 300_000 })
    // What a reader or a limit of the file size does to the process is not for the engine's threads.
    for signal in [SIGPIPE, SIGXFSZ] { #expect(try blockedCount(of: signal) > 0) }
    #expect(try Facts() == before)
    rig.goOn()
    await rig.session.close()
    #expect(try Facts() == before)
  }
}
