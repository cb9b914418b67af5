import SwiftGet
import TestSupport
import Testing

/// The free functions.
@Suite(.waiting) struct `Downloading without a session` {
  private let content = Content.generated(seed: 11, byteCount: 3_000_000)

  @Test func `a file is whole and verified when the call returns`() async throws {
    let rig = try SessionRig(["/f": content])
    var values: [DownloadProgress] = []
    let file = try await download(
      rig.server.url("/f"), into: rig.target.path, checksum: .sha256(try content.hexDigest())
    ) { values.append($0) }
    #expect(file.path == rig.target.path("f") && file.size == content.byteCount && !file.wasKept)
    #expect(file.verified?.source == .given)
    #expect(try rig.isRight("f", content))
    #expect(values.last?.fraction == 1)
    #expect(rig.target.names() == ["f"])
  }

  @Test func `a file that is there and right is kept`() async throws {
    let rig = try SessionRig(["/f": content])
    let checksum = FileChecksum.sha256(try content.hexDigest())
    _ = try await download(rig.server.url("/f"), into: rig.target.path, checksum: checksum)
    let count = rig.server.requests.count
    let file = try await download(rig.server.url("/f"), into: rig.target.path, checksum: checksum)
    #expect(file.wasKept && rig.server.requests.count == count)
  }

  @Test func `missing directories are made, and names may have directories`() async throws {
    let rig = try SessionRig(["/f": content])
    let file = try await download(rig.server.url("/f"), into: rig.target.path("a/b"), name: "c/d.bin")
    #expect(file.path == rig.target.path("a/b/c/d.bin"))
    #expect(try rig.isRight("a/b/c/d.bin", content))
  }

  @Test func `links on the way to the directory are followed`() async throws {
    let rig = try SessionRig(["/f": content])
    try rig.target.makeDirectory("real")
    #expect(symlinked(rig.target.path("real"), at: rig.target.path("link")))
    let file = try await download(rig.server.url("/f"), into: rig.target.path("link/sub"))
    #expect(file.path == rig.target.path("real/sub/f"))
  }

  @Test func `a refusal is an error with status, URL and path, and leaves nothing`() async throws {
    let rig = try SessionRig([:])
    let error = try #require(
      await thrown { try await download(rig.server.url("/f?secret=1"), into: rig.target.path) } as? DownloadError)
    #expect(error.code == .refused && error.exitStatus == 8 && error.httpStatus == 404 && !error.isRetryable)
    #expect(error.url == rig.server.url("/f") && error.path == rig.target.path("f"))
    #expect(!"\(error)".contains("secret"))
    #expect(rig.target.names().isEmpty)
  }

  @Test func `of several files those that arrive are in the failure too`() async throws {
    let rig = try SessionRig(["/a": content, "/c": content])
    let requests = ["/a", "/b", "/c"].map { DownloadRequest(rig.server.url($0), into: rig.target.path) }
    let error = try #require(await thrown { try await download(requests) } as? DownloadFailures)
    #expect(error.results.count == 3 && error.errors.map(\.code) == [.refused] && error.exitStatus == 8)
    #expect(error.files.map(\.path) == [rig.target.path("a"), rig.target.path("c")])
  }

  @Test func `all files come back in the order of their requests`() async throws {
    let names = (0..<50).map { "/\($0)" }
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ($0, Content.text($0)) }))
    let files = try await download(names.map { DownloadRequest(rig.server.url($0), into: rig.target.path) })
    #expect(files.map(\.path) == names.map { rig.target.path(String($0.dropFirst())) })
  }

  @Test func `a bad request among good ones is one failure in its place`() async throws {
    let rig = try SessionRig(["/a": content, "/c": content])
    var requests = ["/a", "/b", "/c"].map { DownloadRequest(rig.server.url($0), into: rig.target.path) }
    requests[1] = DownloadRequest("ftp://127.0.0.1/b", into: rig.target.path)
    let error = try #require(await thrown { try await download(requests) } as? DownloadFailures)
    #expect(error.results.count == 3)
    #expect(throws: DownloadError.self) { try error.results[1].get() }
    #expect(error.errors.map(\.code) == [.invalidRequest])
  }

  @Test func `cancelling keeps the bytes, and the same call goes on with them`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.stall(after: 600_000)
    let (url, directory) = (rig.server.url("/f"), rig.target.path)
    let checksum = FileChecksum.sha256(try content.hexDigest())
    let bytes = Locked<Int64>(0)
    let call = Task {
      try await download(url, into: directory, checksum: checksum) { progress in
        bytes.withLock { $0 = progress.bytes }
      }
    }
    #expect(await eventually { bytes.withLock { $0 } >= 600_000 })
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(rig.target.names().contains("f.swiftget-part"))
    rig.goOn()
    let file = try await download(url, into: directory, checksum: checksum)
    #expect(file.verified != nil)
    #expect(try rig.isRight("f", content))
    #expect(rig.server.requests.contains { $0.rangeHeader != nil })
  }

  @Test func `two calls share a transfer, and the one that is left finishes it`() async throws {
    let rig = try SessionRig(["/f": content])
    rig.isOpen.withLock { $0 = false }
    let (url, directory) = (rig.server.url("/f"), rig.target.path)
    let hasJoined = Locked([false, false])
    let first = Task { try await download(url, into: directory) { _ in hasJoined.withLock { $0[0] = true } } }
    let second = Task { try await download(url, into: directory) { _ in hasJoined.withLock { $0[1] = true } } }
    #expect(await eventually { hasJoined.withLock { $0 } == [true, true] })
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    rig.isOpen.withLock { $0 = true }
    _ = try await second.value
    #expect(try rig.isRight("f", content))
  }

  @Test func `a call that begins while another one is cancelled gets the file`() async throws {
    let names = (0..<60).map { "f\($0)" }
    let rig = try SessionRig(Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", content) }))
    let directory = rig.target.path
    for (round, name) in names.enumerated() {
      rig.isOpen.withLock { $0 = false }
      let url = rig.server.url("/\(name)")
      let hasBegun = Locked(false)
      let first = Task { try await download(url, into: directory) { _ in hasBegun.withLock { $0 = true } } }
      #expect(await eventually { hasBegun.withLock { $0 } })
      let second = Task { try await download(url, into: directory) }
      for _ in 0..<(round % 20) { await Task.yield() }
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      rig.isOpen.withLock { $0 = true }
      _ = try await second.value
      #expect(try rig.isRight(name, content), "\(name)")
    }
  }

  @Test func `an empty file is all there from the beginning`() async throws {
    let rig = try SessionRig(["/f": .bytes([])])
    let task = try await rig.session.add(rig.request("/f")).task
    _ = try await task.result()
    #expect(task.latest.progress.fraction == 1 && task.latest.progress.totalBytes == 0)
  }

  @Test func `no requests are no files`() async throws {
    #expect(try await download([DownloadRequest]()).isEmpty)
  }
}
