@testable import DownloadCore
import SwiftGet
import TestSupport
import Testing

/// Another name for the file of a task.
@Suite(.waiting) struct `Renaming` {
  private let content = Content.generated(seed: 101, byteCount: 2_000_000)
  private let other = Content.generated(seed: 102, byteCount: 3000)

  private func rename(_ task: DownloadTask, _ name: String?) async throws { try await task.set { $0.name = name } }

  @Test func `what waits is fetched under its new name`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.session.add(rig.request("/f"), paused: true).task
    try await rename(task, "sub/g")
    #expect(task.latest.path == rig.target.path("sub/g") && rig.target.names() == [])
    try await task.resume()
    #expect(try await task.result().path == rig.target.path("sub/g"))
    #expect(try rig.isRight("sub/g", content))
    // The name is free.
    let added = try await rig.session.add(rig.request("/f"))
    #expect(added.task.id != task.id)
    _ = try await added.task.result()
    #expect(try rig.isRight("f", content))
  }

  @Test func `what is stored of a file is renamed with it`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.failHalfway(rig.request("/f"))
    #expect(rig.target.names() == ["f.swiftget", "f.swiftget-part"])
    try await rename(task, "g")
    #expect(rig.target.names() == ["g.swiftget", "g.swiftget-part"])
    let count = rig.server.requests.count
    try await task.retry()
    #expect(try await task.result().path == rig.target.path("g"))
    #expect(try rig.isRight("g", content) && rig.target.names() == ["g"])
    #expect(rig.server.requests.dropFirst(count).first?.rangeHeader != nil, "it goes on")
  }

  @Test func `a finished file is renamed`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.session.add(rig.request("/f")).task
    _ = try await task.result()
    // A name that a file gets later than this makes its mark invalid, unless that is written again.
    try await Task.sleep(for: .seconds(VerifiedMark.publicationTime + 1))
    try await rename(task, "g")
    #expect(try await task.result().path == rig.target.path("g"))
    #expect(try rig.target.names() == ["g"] && rig.isRight("g", content))
    let count = rig.server.requests.count
    try await task.retry()
    #expect(try await task.result().wasKept && rig.server.requests.count == count, "it is known under its name")
    try await rename(task, "g")
    try await task.remove(deletingFiles: true)
    #expect(rig.target.names() == [])
  }

  @Test func `a running task is not renamed`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.stall()
    let task = try await rig.session.add(rig.request("/f")).task
    #expect(await eventually { task.latest.state == .running && rig.target.names().contains("f.swiftget-part") })
    #expect(await code { try await rename(task, "g") } == .invalidState)
    #expect(task.latest.path == rig.target.path("f"))
    try await task.pause()
    try await rename(task, "g")
    rig.goOn()
    try await task.resume()
    _ = try await task.result()
    #expect(try rig.target.names() == ["g"] && rig.isRight("g", content))
  }

  @Test(arguments: ["g", "g.swiftget", "g.swiftget-part"])
  func `nothing is renamed over what is there`(name: String) async throws {
    let rig = try SessionRig(["/f": content, "/h": content])
    let part = try await rig.failHalfway(rig.request("/f"))
    let whole = try await rig.session.add(rig.request("/h")).task
    _ = try await whole.result()
    try rig.target.write(name, "mine")
    for task in [part, whole] {
      let path = task.latest.path
      #expect(await code { try await rename(task, "g") } == .localIO)
      #expect(task.latest.path == path)
    }
    #expect(rig.target.names() == ["f.swiftget", "f.swiftget-part", name, "h"].sorted())
    #expect(try rig.target.read(name) == Array("mine".utf8) && rig.isRight("h", content))
    // The name is taken back everywhere.
    try await part.retry()
    #expect(try await part.result().path == rig.target.path("f") && rig.isRight("f", content))
  }

  @Test func `what is no name for the task is refused`() async throws {
    let rig = try SessionRig(["/f": content, "/h": other])
    try rig.target.write("h", "mine")
    let tasks = try await rig.session.add([rig.request("/f"), rig.request("/f", name: "other")]).tasks
    _ = try await tasks.results()
    #expect(await code { try await rename(tasks[0], "other") } == .conflict)
    for name in ["../g", "", "/", "a/../../g"] {
      #expect(await code { try await rename(tasks[0], name) } == .invalidRequest, "\(name)")
    }
    #expect(await code { try await rename(tasks[0], nil) } == .invalidValue)
    #expect(await code { try await rig.session.set { $0.name = "g" } } == .invalidValue)
    #expect(await code { try await rig.session.group("g").set { $0.name = "g" } } == .invalidValue)
    #expect(await code { try await tasks.set { $0.name = "g" } } == .invalidValue)
    #expect(
      await code {
        try await tasks[0].set {
          $0.name = "g"
          $0.checksum = FileChecksum.sha256(String(repeating: "0", count: 64))
        }
      } == .invalidValue)
    var request = rig.request("/f", name: "x")
    request.settings.name = "y"
    #expect(await code { try await rig.session.add(request) } == .invalidRequest)

    try rig.target.write("f", "changed")
    #expect(await code { try await rename(tasks[0], "g") } == .invalidRequest, "it is not the task's file any more")
    var kept = rig.request("/h")
    kept.ifExists = .keep
    let task = try await rig.session.add(kept).task
    _ = try await task.result()
    #expect(await code { try await rename(task, "g") } == .invalidState, "somebody else has put it there")
    #expect(try rig.target.names() == ["f", "h", "other"] && rig.target.read("h") == Array("mine".utf8))
  }

  @Test func `the next process knows the name`() async throws {
    let rig = try SessionRig(["/f": content, "/h": content])
    let home = try TemporaryDirectory()
    func open() async throws -> DownloadSession {
      try await DownloadSession.open(
        "night", in: home.path, configuration: SessionRig.configuration(in: rig.target))
    }
    let session = try await open()
    let (whole, waiting) = (
      try await session.add(rig.request("/f")).task, try await session.add(rig.request("/h"), paused: true).task
    )
    _ = try await whole.result()
    try await rename(whole, "g")
    try await rename(waiting, "i")
    try rig.target.write("j", "mine")
    #expect(await code { try await rename(whole, "j") } == .localIO)
    await session.close()
    let again = try await open()
    let tasks = try await again.tasks()
    #expect(Set(tasks.map(\.latest.path)) == [rig.target.path("g"), rig.target.path("i")])
    for task in tasks { try await task.retry() }
    try await again.resumeAll()
    _ = try await tasks.results()
    #expect(try rig.isRight("g", content) && rig.isRight("i", content) && rig.target.names() == ["g", "i", "j"])
    await again.close()
  }
}
