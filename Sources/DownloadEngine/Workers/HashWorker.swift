internal import DownloadCore
internal import DownloadFiles

/// Computes digests on a thread of its own, for all engines of the process. It follows the contiguous prefix of growing
/// part files, from the receive buffer or from the page cache soon after it was written, and verifies small files in
/// memory.
///
/// Small files and inspections are dealt with at once, all else by turns: of the engines, and of what each has.
final class HashWorker: Sendable {
  let messages = Mailbox<WorkerMessage<HashJob>>()

  /// The bytes that are read and hashed at a time: few enough to stay in the CPU cache.
  private static let blockByteCount = 256 << 10

  /// The thread's body.
  func run() {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockByteCount, alignment: 4096)
    defer { block.deallocate() }
    let computers = DigestComputers()
    /// Of the engines that have posted jobs, the last one that had a turn at the end.
    var desks: [HashDesk] = []
    var hasEnded = false
    while true {
      var busy = desks.firstIndex(where: \.hasWork)
      if busy == nil, hasEnded { return }
      // Jobs are popped one by one, so that the memory of each is freed when it is done.
      var left = Array((busy == nil ? messages.waitForAll() : messages.takeAll()).reversed())
      while let message = left.popLast() {
        switch message {
        case .job(let job, let client):
          if client.isGone.isSet { continue }
          let known = desks.first { $0.client === client }
          let desk = known ?? HashDesk(client, block, computers)
          if known == nil { desks.append(desk) }
          desk.take(job)
        case .fence(let fence, let client):
          if let desk = desks.first(where: { $0.client === client }) { desk.fence = fence } else { fence.pass() }
        case .end: hasEnded = true
        }
      }
      busy = desks.firstIndex(where: \.hasWork)
      if let busy {
        let desk = desks.remove(at: busy)
        desk.takeTurn(whileOthersWait: { [messages] in !messages.isEmpty })
        desks.append(desk)
      }
      while let index = desks.firstIndex(where: \.isDone) {
        let fence = desks.remove(at: index).fence
        fence?.pass()
      }
    }
  }
}
