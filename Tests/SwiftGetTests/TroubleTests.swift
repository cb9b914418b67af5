import SwiftGet
import TestSupport
import Testing

/// What a session makes of disks, directories and servers that fail.
@Suite(.waiting) struct `Trouble` {
  private let content = Content.generated(seed: 95, byteCount: 2_000_000)

  /// A small file system of its own; nil where this process may not mount one.
  private func mounted(_ directory: TemporaryDirectory, _ options: String) throws -> Mounted? {
    try Mounted(directory.path, options)
  }

  private final class Mounted {
    private let path: String

    init?(_ path: String, _ options: String) throws {
      self.path = path
      guard try runProgram("/usr/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]).status == 0 else {
        return nil
      }
    }

    func remount(_ options: String) throws {
      _ = try runProgram("/usr/bin/mount", ["-o", "remount,\(options)", path])
    }

    deinit { _ = try? runProgram("/usr/bin/umount", ["-l", path]) }
  }

  @Test func `a full disk is waited for, and the file goes on when there is room`() async throws {
    let rig = try SessionRig(["/f": content])
    guard let disk = try mounted(rig.target, "size=1m") else { return }
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { task.latest.state == .waiting(.diskFull) }, "\(task.latest)")
    #expect(!rig.target.names().contains("f"))
    try disk.remount("size=64m")
    try await task.retry()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    await rig.session.close()
  }

  @Test func `a directory in which nothing may be written fails the task with its errno, and retry goes on`()
    async throws
  {
    let rig = try SessionRig(["/f": content])
    guard let disk = try mounted(rig.target, "size=64m,ro") else { return }
    let task = try await rig.session.add(rig.request("/f")).task
    let error = try #require(await thrown { try await task.result() } as? DownloadError)
    // EROFS.
    #expect(error.code == .localIO && error.errno == 30, "\(error)")
    guard case .systemCall(_, errno: 30)? = error.cause else { return #expect(Bool(false), "\(error)") }
    try disk.remount("rw")
    try await task.retry()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    await rig.session.close()
  }

  @Test func `a named session where nothing may be written is refused, and is there again when it may`() async throws {
    let home = try TemporaryDirectory()
    guard let disk = try mounted(home, "size=64m") else { return }
    let rig = try SessionRig(["/f": content])
    let configuration = SessionRig.configuration(in: rig.target)
    func open() async throws -> DownloadSession {
      try await DownloadSession.open("night", in: home.path, configuration: configuration)
    }
    var session = try await open()
    try await session.add(rig.request("/f"), paused: true)
    await session.close()
    try disk.remount("ro")
    let error = try #require(await thrown { try await open() } as? DownloadError)
    #expect(error.code == .unusableStore && error.message.contains("Read-only file system"), "\(error)")
    let other = await thrown {
      try await DownloadSession.open("other", in: home.path, configuration: configuration)
    }
    #expect(
      (other as? DownloadError)?.message.contains("Read-only file system") == true, "\(String(describing: other))")
    try disk.remount("rw")
    session = try await open()
    let task = try #require(try await session.tasks().first)
    try await task.resume()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    await session.close()
  }

  @Test func `a server that goes away in the middle fails the task, whose bytes are kept for a retry`() async throws {
    let rig = try SessionRig(["/f": content]) {
      $0.cutAfter = 500_000
    } configure: {
      $0.settings.tries = 2
    }
    let task = try await rig.failHalfway(rig.request("/f"))
    let error = try #require(await thrown { try await task.result() } as? DownloadError)
    #expect(error.task == task.id && task.latest.progress.bytes > 0)
    let before = rig.server.requests.count
    try await task.retry()
    _ = try await task.result()
    #expect(try rig.isRight("f", content))
    let ranges = rig.server.requests.dropFirst(before).map(\.rangeHeader)
    #expect(!ranges.isEmpty && ranges.allSatisfy { $0.map { !$0.hasPrefix("bytes=0-") } ?? false }, "\(ranges)")
  }

  @Test func `another session of the process gets a target as soon as the first one lets it go`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let other = SessionRig.session(in: rig.target)
    let first = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { first.latest.progress.bytes > 200_000 })
    let second = try await other.add(rig.request("/f")).task
    #expect(
      await eventually {
        if case .waiting(.busyTarget) = second.latest.state { true } else { false }
      })
    rig.goOn()
    try await first.pause()
    _ = try await second.result()
    #expect(try rig.isRight("f", content))
  }

  @Test func `what a pause would lose is said before it, and counted`() async throws {
    let rig = try SessionRig(["/f": content, "/g": content])
    rig.stall()
    let good = try await rig.session.add(rig.request("/g")).task
    #expect(await eventually { good.latest.progress.bytes >= 300_000 })
    #expect(good.latest.isResumable)
    #expect(try await good.pause().notResumable == 0)
    rig.service.change {
      $0.entityTag = .none
      $0.lastModified = nil
      $0.announcesRanges = false
      $0.ignoresRanges = true
    }
    let bad = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { bad.latest.progress.bytes > 0 && !bad.latest.isResumable })
    #expect(try await bad.pause().notResumable == 1)
  }

  @Test func `what is of note is logged without secrets, and nothing else`() async throws {
    let entries = Locked<[DownloadLogEntry]>([])
    let rig = try SessionRig(["/f": Content.text("logged")]) { _ in
    } configure: {
      $0.log = { entry in entries.withLock { $0.append(entry) } }
    }
    _ = try await rig.session.add(rig.request("/f")).task.result()
    #expect(entries.withLock { $0.isEmpty })
    let missing = try await rig.session.add(
      DownloadRequest(rig.server.url("/missing?X-Amz-Signature=secret"), name: "g")
    ).task
    _ = await thrown { try await missing.result() }
    #expect(await eventually { entries.withLock { $0.contains { $0.level == .error && $0.task == missing.id } } })
    #expect(entries.withLock { $0.allSatisfy { !$0.message.contains("secret") && !$0.message.isEmpty } })
  }
}
