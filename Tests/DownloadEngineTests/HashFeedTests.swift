import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

@Suite struct `Hash feed` {
  private let messages = Mailbox<WorkerMessage<HashJob>>()
  private let worker: WorkerPort<HashJob>
  private let handle: ItemHandle = 3
  private let part: PartFile
  private let workers: WorkerRig

  init() throws {
    workers = try WorkerRig()
    part = try workers.part("f", .text("content"))
    worker = WorkerPort(messages, workers.client)
  }

  /// The jobs since the last call, as short texts.
  private func told() -> [String] {
    messages.takeAll().map { message in
      guard case .job(let job, _) = message else { return "\(message)" }
      return switch job {
      case .follow(handle, _, let algorithms): "follow \(algorithms.map(\.rawValue).joined(separator: " "))"
      case .advance(handle, let end): "advance \(end)"
      case .block(handle, let block, let offset): "block \(block.count) at \(offset)"
      case .finish(handle, let length): "finish \(length)"
      case .forget(handle): "forget"
      default: "\(job)"
      }
    }
  }

  @Test func `wakes the worker once a MiB`() {
    var feed = HashFeed(worker: worker)
    feed.follow(part, [.sha256], of: handle, contiguousEnd: 1000)
    #expect(told() == ["follow sha256"] && feed.isFollowing)
    feed.advance(to: 1 << 20, of: handle)
    feed.advance(to: 2 << 20 - 1, of: handle)
    #expect(told() == ["advance 1048576"] && feed.position == 1 << 20)
    feed.finish(part, [.sha256], of: handle, completeLength: 3_000_000)
    #expect(told() == ["finish 3000000"] && !feed.isFollowing)
  }

  @Test func `continues after the bytes that were passed from memory`() {
    var feed = HashFeed(worker: worker)
    feed.follow(part, [.md5], of: handle, contiguousEnd: 0)
    let block = FilledBlock(block: MemoryBlock(byteCount: 4096), count: 4000)
    feed.hash(block, at: 0, of: handle)
    #expect(told() == ["follow md5", "block 4000 at 0"] && feed.position == 4000)
    feed.advance(to: 4000 + 1 << 20, of: handle)
    #expect(told() == ["advance \(4000 + 1 << 20)"])
  }

  @Test func `starts once, and only if there is a digest to compute`() {
    var feed = HashFeed(worker: worker)
    feed.follow(part, [], of: handle, contiguousEnd: 5_000_000)
    feed.advance(to: 9_000_000, of: handle)
    feed.forget(3)
    #expect(told().isEmpty && !feed.isFollowing)
    feed.follow(part, [.sha256], of: handle, contiguousEnd: 5_000_000)
    feed.follow(part, [.sha256], of: handle, contiguousEnd: 6_000_000)
    #expect(told() == ["follow sha256", "advance 5000000"])
    feed.forget(3)
    feed.forget(3)
    #expect(told() == ["forget"])
  }

  @Test func `starts again for a digest that becomes known later`() {
    var feed = HashFeed(worker: worker)
    feed.follow(part, [.sha256], of: handle, contiguousEnd: 0)
    feed.advance(to: 4 << 20, of: handle)
    _ = told()
    feed.finish(part, [.sha256, .md5], of: handle, completeLength: 4 << 20)
    #expect(told() == ["follow sha256 md5", "advance 4194304", "finish 4194304"])
  }

  @Test func `hashes a file from the start if it was not followed`() {
    var feed = HashFeed(worker: worker)
    feed.finish(part, [.sha512], of: handle, completeLength: 10)
    #expect(told() == ["follow sha512", "finish 10"])
  }
}
