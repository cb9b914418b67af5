import DownloadFiles
import Glibc
import SwiftGet
import TestSupport
import Testing

/// The ends of sessions.
@Suite(.waiting) struct `Closing a session` {
  private let content = Content.generated(seed: 61, byteCount: 3_000_000)

  @Test func `save ends transfers and keeps the bytes; nothing is written any more`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { task.latest.progress.bytes >= 300_000 })
    let wait = Task { try await task.result() }
    let loop = Task { for await _ in rig.session.changes {} }
    let lookups = Task { for await _ in task.changes {} }
    await rig.session.close()
    #expect(await code { try await wait.value } == .sessionClosed)
    await loop.value
    await lookups.value
    #expect(await code { try await task.pause() } == .sessionClosed)
    #expect(await code { try await rig.session.add(rig.request("/g")) } == .sessionClosed)
    #expect(await code { try await rig.session.settled() } == .sessionClosed)
    #expect(rig.target.names().contains("f.swiftget-part"))
    await rig.session.close(.now)
    let next = SessionRig.session(in: rig.target)
    rig.goOn()
    _ = try await next.add(rig.request("/f")).task.result()
    #expect(rig.server.requests.contains { $0.rangeHeader.map { !$0.hasPrefix("bytes=0-") } ?? false })
  }

  @Test func `finish lets what has begun end, and begins nothing`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content]) { _ in
    } configure: {
      $0.limits.activeFiles = 1
    }
    rig.isOpen.withLock { $0 = false }
    let tasks = try await rig.session.add([rig.request("/a"), rig.request("/b")]).tasks
    #expect(await eventually { tasks[0].latest.state == .running })
    let closing = Task { await rig.session.close(.finish) }
    #expect(await eventually { await code { try await rig.session.limit { _ in } } == .sessionClosed })
    rig.isOpen.withLock { $0 = true }
    await closing.value
    #expect(tasks[0].latest.state.kind == .succeeded && !tasks[1].latest.state.isSettled)
    _ = try await tasks[0].result()
    #expect(await code { try await tasks[1].result() } == .sessionClosed)
    #expect(rig.target.names() == ["a"])
  }

  @Test func `now returns while a server stalls`() async throws {
    let rig = try SessionRig(["/f": content]) { $0.stallsAfter = 100_000 }
    _ = try await rig.session.add(rig.request("/f"))
    #expect(await eventually { rig.server.bodyBytesSent > 0 })
    await rig.session.close(.now)
    #expect(await eventually { rig.server.openConnections == 0 })
  }

  @Test func `a program that was started meanwhile keeps no connection open`() async throws {
    let rig = try SessionRig(["/f": content]) { $0.stallsAfter = 100_000 }
    _ = try await rig.session.add(rig.request("/f"))
    #expect(await eventually { rig.server.bodyBytesSent > 0 })
    var other: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
    let none: [UnsafeMutablePointer<CChar>?] = [nil]
    #expect(posix_spawn(&other, "/bin/sleep", nil, nil, words, none) == 0)
    defer {
      kill(other, SIGKILL)
      waitpid(other, nil, 0)
      for word in words { free(word) }
    }
    await rig.session.close(.now)
    #expect(await eventually { rig.server.openConnections == 0 })
  }

  @Test func `the end names files whose sync takes long`() async {
    // The sync holds up all sessions of the process.
    await #expect(processExitsWith: .success) {
      let rig = try SessionRig(["/f": .generated(seed: 61, byteCount: 3_000_000)])
      let faults = [SystemCall.fsync, .fdatasync].map {
        Fault($0, below: rig.target.path, persists: true, .late(60_000))
      }
      let names = try await FaultTable.withFaults(faults) {
        let task = try await rig.session.add(rig.request("/f")).task
        // States between the beginning and the end come with the progress.
        task.onProgress { _ in }
        #expect(await eventually { task.latest.state.kind == .verifying })
        return await rig.session.close()
      }
      #expect(names == [rig.target.path("f")])
    }
  }

  @Test func `a session that was never used is closed at once`() async throws {
    let session = DownloadSession.anonymous()
    #expect(await session.close().isEmpty)
    #expect(await code { try await session.pause() } == .sessionClosed)
  }

  @Test func `a wrong configuration fails at the first call`() async throws {
    var configuration = DownloadSession.Configuration()
    configuration.limits.activeFiles = 0
    let session = DownloadSession.anonymous(configuration)
    #expect(await code { try await session.add(DownloadRequest("http://127.0.0.1/")) } == .invalidValue)
  }

  @Test func `a session opened late and used from many Swift tasks at once`() async throws {
    let names = (0..<200).map { "/\($0)" }
    let small = Content.text("small")
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, small) }))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask {
          let task = try await rig.session.add(rig.request(name)).task
          try await task.pause()
          try await task.resume()
          _ = try await task.result()
        }
      }
      try await group.waitForAll()
    }
    #expect(rig.session.latestTotals.filesDone == 200)
  }
}
