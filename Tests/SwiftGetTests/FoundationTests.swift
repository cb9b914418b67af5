import Foundation
import SwiftGetFoundation
import TestSupport
import Testing

/// `URL`, `Date` and `Progress`.
@Suite(.waiting) struct `With Foundation` {
  private let content = Content.generated(seed: 91, byteCount: 1_000_000)

  @Test func `URLs lead to files, and files have URLs`() async throws {
    let rig = try SessionRig(["/a%20b": content])
    let url = try #require(URL(string: rig.server.url("/a%20b")))
    let file = try await download(url, into: URL(filePath: rig.target.path("sub dir")))
    #expect(file.url.lastPathComponent == "a b" && file.path == rig.target.path("sub dir/a b"))
    let task = try await rig.session.add(DownloadRequest(url)).task
    _ = try await task.result()
    #expect(try await rig.session.tasks(where: .url(url)) == [task])
    let snapshot = task.latest
    let (start, end) = (try #require(snapshot.startDate), try #require(snapshot.endDate))
    #expect(start <= end && abs(end.timeIntervalSinceNow) < 3600)
  }

  @Test func `a Progress follows a task, and its pause, resume and cancel are the task's`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    let progress = Progress(following: task)
    #expect(await eventually { progress.completedUnitCount > 0 && progress.totalUnitCount == 1_000_000 })
    progress.pause()
    #expect(await eventually { task.latest.state == .paused(by: .task) })
    rig.goOn()
    progress.resume()
    _ = try await task.result()
    #expect(await eventually { progress.isFinished && progress.fractionCompleted == 1 })
    let other = try await rig.session.add(rig.request("/missing"), paused: true).task
    Progress(following: other).cancel()
    #expect(await eventually { other.latest.state == .cancelled })
  }
}
