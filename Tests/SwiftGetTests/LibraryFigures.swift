import Glibc
@testable import SwiftGet
import TestSupport
import Testing

/// What a session costs, printed by `make figures`. Nothing is compared with the clock.
@Suite(.serialized, .enabled(if: getenv("SWIFTGET_FIGURES") != nil, "prints figures, see `make figures`"))
struct `Figures of the library` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func session() -> DownloadSession {
    var configuration = DownloadSession.Configuration()
    configuration.directory = target.path
    return DownloadSession.anonymous(configuration)
  }

  private static func request(_ number: Int) -> DownloadRequest {
    let digits = String(number, radix: 16)
    let digest = String(repeating: "0", count: 64 - digits.utf8.count) + digits
    return DownloadRequest(
      "http://127.0.0.1:9/archive/2026/files/object-\(number).bin", into: "/nonexistent/directory/for/figures",
      checksum: .sha256(digest))
  }

  /// A line of /proc/self/status, in its unit.
  private func status(_ name: String, of path: String = "/proc/self/status") throws -> Int {
    let text = String(decoding: try readFile(path), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// How often threads of this process go to sleep within 5 seconds, this one included. One that stays asleep does not.
  private func wakeupCount() -> Int {
    // Threads of what has just ended go to sleep meanwhile.
    sleep(1)
    let before = sleepCounts()
    sleep(5)
    return sleepCounts().reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
  }

  /// By thread.
  private func sleepCounts() -> [String: Int] {
    var counts: [String: Int] = [:]
    for thread in directoryNames("/proc/self/task") {
      counts[thread] = try? status("voluntary_ctxt_switches", of: "/proc/self/task/\(thread)/status")
    }
    return counts
  }

  @Test func `the memory and the wake-ups of 100,000 paused tasks`() async throws {
    let session = session()
    try await session.pause()
    _ = try await session.add((0..<1000).lazy.map(Self.request), paused: true)
    let before = try status("VmRSS")
    let added = try await session.add((1000..<101_000).lazy.map(Self.request), paused: true)
    try await session.limit { $0.activeFiles = 4 }
    let after = try status("VmRSS")
    print("100,000 paused tasks: \(after - before) KiB, \(added.tasks.count) tasks, \(added.failures.count) failures")
    print("wake-ups in 5 seconds, this thread's included: \(wakeupCount())")
    await session.close()
  }

  @MainActor @Test func `20,000 adds in parts from the main actor`() async throws {
    let session = session()
    try await session.pause()
    let longest = Locked(0.0)
    let ticker = Task { @MainActor in
      var last = monotonicSeconds()
      while !Task.isCancelled {
        await Task.yield()
        let now = monotonicSeconds()
        longest.withLock { [last] in $0 = max($0, now - last) }
        last = now
      }
    }
    var parts: [Double] = []
    for part in 0..<40 {
      let start = monotonicSeconds()
      _ = try await session.add((part * 500..<(part + 1) * 500).lazy.map(Self.request))
      parts.append(monotonicSeconds() - start)
    }
    ticker.cancel()
    print("the main actor was held for \(longest.withLock { $0 } * 1000) ms at most")
    print("500 adds: \(parts[0] * 1000) ms first, \(parts[parts.count - 1] * 1000) ms last")
    await session.close()
  }

  // MARK: Named sessions

  @Test(arguments: ["/dev/shm", "/tmp"]) func `100,000 tasks of a named session`(parent: String) async throws {
    let home = try TemporaryDirectory(in: parent)
    var session = try await DownloadSession.open("figures", in: home.path, paused: true)
    let start = monotonicSeconds()
    var parts: [Double] = []
    for part in 0..<200 {
      let start = monotonicSeconds()
      _ = try await session.add((part * 500..<(part + 1) * 500).lazy.map(Self.request))
      parts.append(monotonicSeconds() - start)
    }
    print("\(parent): 100,000 adds: \(monotonicSeconds() - start) s; 500: \(parts[0]) s first, \(parts[199]) s last")
    await session.close()
    let before = try status("VmRSS")
    let opening = monotonicSeconds()
    session = try await DownloadSession.open("figures", in: home.path)
    print("\(parent): opened in \(monotonicSeconds() - opening) s, \(session.latestTotals.files) tasks")
    try await session.limit { $0.activeFiles = 4 }
    print("\(parent): \(try status("VmRSS") - before) KiB more than before")
    print("wake-ups in 5 seconds, this thread's included: \(wakeupCount())")
    await session.close()
  }

  @Test(arguments: ["/dev/shm", "/tmp"]) func `a pause from another process`(parent: String) async throws {
    let home = try TemporaryDirectory(in: parent)
    let rig = try SessionRig(["/f": Content.generated(seed: 1, byteCount: 1_000_000_000)]) {
      $0.bytesPerSecondOfServer = 20_000_000
    }
    let session = try await DownloadSession.open(
      "figures", in: home.path, configuration: SessionRig.configuration(in: rig.target))
    let task = try await session.add(rig.request("/f")).task
    let client = try SessionClient(of: home.path("figures"))
    var times: [Double] = []
    for _ in 0..<200 {
      _ = await eventually { task.latest.state == .running }
      let start = monotonicSeconds()
      _ = try client.call("pause", #"{"tasks": ["\#(task.id)"]}"#)
      times.append(monotonicSeconds() - start)
      _ = try client.call("resume", #"{"tasks": ["\#(task.id)"]}"#)
    }
    times.sort()
    print("\(parent): a pause takes \(times[100] * 1000) ms in the median, \(times[197] * 1000) ms for 99 %")
    await session.close(.now)
  }

  @Test func `2,000 files of 100 KiB in a named session`() async throws {
    let rig = try SessionRig(
      Dictionary(
        uniqueKeysWithValues: (0..<2000).map {
          ("/f\($0)", Content.generated(seed: UInt64($0), byteCount: 100 << 10))
        }))
    for round in 0..<6 {
      let target = try TemporaryDirectory()
      let configuration = SessionRig.configuration(in: target)
      let start = monotonicSeconds()
      let session =
        round % 2 == 0
        ? DownloadSession.anonymous(configuration)
        : try await DownloadSession.open("figures", in: target.path, configuration: configuration)
      _ = try await session.add((0..<2000).map { rig.request("/f\($0)") }).files()
      let time = monotonicSeconds() - start
      await session.close()
      print("\(round % 2 == 0 ? "in memory" : "named"): \(time) s")
    }
  }
}
