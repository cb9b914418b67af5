import SwiftGet
import TestSupport
import Testing

/// The order of tasks, and settings that change while a session works.
@Suite(.waiting) struct `Live changes` {
  private let content = Content.generated(seed: 97, byteCount: 20_000)

  @Test func `10,000 moves before and behind the same task keep the order`() async throws {
    let rig = try SessionRig([:])
    try await rig.session.pause()
    let tasks = try await rig.session.add((0..<40).map { rig.request("/\($0)") }).tasks
    var order = Array(0..<40)
    var generator = SeededGenerator(seed: 12)
    for round in 0..<10_000 {
      let moved = Int.random(in: 1..<40, using: &generator)
      order.removeAll { $0 == moved }
      let isBefore = round % 4 != 0
      order.insert(moved, at: order.firstIndex(of: 0)! + (isBefore ? 0 : 1))
      try await tasks[moved].move(to: isBefore ? .before(tasks[0]) : .after(tasks[0]))
    }
    let wanted = order.map { tasks[$0].id }
    #expect(try await rig.session.tasks().map(\.id) == wanted)
    // All of them in turn, and they keep the order.
    try await rig.session.selection(.all).move(to: .last)
    #expect(try await rig.session.tasks().map(\.id) == wanted)
  }

  @Test func `an add between a move and its answer stands where the engine has it`() async throws {
    let rig = try SessionRig([:])
    try await rig.session.pause()
    let first = try await rig.session.add(rig.request("/first")).task
    for round in 0..<50 {
      async let move = first.move(to: .last)
      async let added = rig.session.add(rig.request("/\(round)"))
      _ = try await (move, added)
    }
    let all = try await rig.session.tasks()
    let paused = all.map(\.id)
    try await rig.session.limit { $0.activeFiles = 1 }
    #expect(try await rig.session.tasks().map(\.id) == paused && paused.count == 51)
    #expect(Set(paused).count == 51)
  }

  @Test func `an end that follows a command at once is the later one`() async throws {
    let rig = try SessionRig(["/f": content])
    let task = try await rig.session.add(rig.request("/f", checksum: .sha256(try content.hexDigest()))).task
    _ = try await task.result()
    for round in 0..<500 {
      // The file is kept without a request, within the same moment.
      try await task.retry()
      let hasEnded = await eventually { task.latest.state.isSettled }
      #expect(hasEnded, "round \(round)")
      if !hasEnded { break }
    }
  }

  @Test func `what is done with an existing file may differ for each request`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content, "/c": content])
    for name in ["a", "b", "c"] { try rig.target.write(name, "other") }
    var requests = ["/a", "/b", "/c"].map { rig.request($0) }
    (requests[0].ifExists, requests[1].ifExists, requests[2].ifExists) = (.replace, .keep, .fail)
    let results = try await rig.session.add(requests).tasks.results()
    #expect(try results[0].get().size == 20_000 && results[1].get().wasKept)
    #expect(try rig.isRight("a", content) && rig.target.read("b") == Array("other".utf8))
    #expect(failure(of: results[2]) == .localIO)
    #expect(await code { try await rig.session.set { $0.ifExists = .keep } } == .invalidValue)
  }

  private func failure(of result: Result<DownloadedFile, DownloadError>) -> DownloadError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  @Test func `a checksum that is given later is judged at the end, or at once for a file that is there`() async throws {
    let rig = try SessionRig(["/a": content, "/b": content])
    let right = FileChecksum.sha256(try content.hexDigest())
    let wrong = FileChecksum.sha256(String(repeating: "0", count: 64))
    rig.isOpen.withLock { $0 = false }
    let a = try await rig.session.add(rig.request("/a")).task
    try await a.set { $0.checksum = wrong }
    #expect(a.latest.checksums == [wrong])
    rig.isOpen.withLock { $0 = true }
    let error = try #require(await thrown { try await a.result() } as? DownloadError)
    #expect(error.code == .integrity && error.cause == .checksumMismatch(expected: wrong, found: right), "\(error)")
    let b = try await rig.session.add(rig.request("/b")).task
    _ = try await b.result()
    let count = rig.server.requests.count
    try await b.set { $0.checksum = right }
    #expect(try await b.result().verified?.checksum == right)
    #expect(rig.server.requests.count == count)
    #expect(await code { try await b.set { $0.checksum = FileChecksum("x") } } == .invalidValue)
    #expect(await code { try await rig.session.set { $0.checksum = right } } == .invalidValue)
  }

  @Test func `requests are spaced as the limit says, and at once without it`() async throws {
    let names = (0..<8).map { "/\($0)" }
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, content) })) { _ in
    } configure: {
      // One now, and none for hours.
      $0.limits.requestsPerSecond = 0.001
    }
    let tasks = try await rig.session.add(names.map { rig.request($0) }).tasks
    #expect(await eventually { rig.server.requests.count == 1 })
    #expect(await eventually { tasks.contains { $0.latest.state.kind == .succeeded } })
    #expect(rig.server.requests.count == 1)
    #expect(await code { try await rig.session.limit { $0.requestsPerSecond = 0 } } == .invalidValue)
    #expect(await code { try await rig.session.group("g").limit { $0.requestsPerSecond = 1 } } == .invalidValue)
    try await rig.session.limit { $0.requestsPerSecond = nil }
    #expect(try await tasks.results().allSatisfy { (try? $0.get()) != nil })
  }
}
