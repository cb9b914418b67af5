import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

private func give(_ count: Int, to transfer: Transfer) -> BodyAnswer {
  [UInt8](repeating: 1, count: count).withUnsafeBytes { transfer.exchange(transfer.exchange, body: $0) }
}

@Suite(.waiting) struct `A transfer` {
  private let owner = NotingOwner()

  @Test func `reads an unwanted body only if that is cheaper than a new connection`() throws {
    let transfer = idleTransfer(1, of: try idleItem(), owner: owner)
    #expect(transfer.drain(64 << 10) == .taken)
    #expect(transfer.drain(1) == .stop)
  }

  @Test func `with buffered bytes pauses before it delivers more`() throws {
    let transfer = idleTransfer(1, of: try idleItem(), owner: owner)
    #expect(give(3, to: transfer) == .taken && owner.bodyByteCount == 3)
    [UInt8](repeating: 7, count: 2).withUnsafeBytes { transfer.keep($0) }
    #expect(give(5, to: transfer) == .pause && owner.bodyByteCount == 3)
    #expect(transfer.takeLeftover() == [7, 7] && transfer.leftover.isEmpty)
    #expect(give(5, to: transfer) == .taken && owner.bodyByteCount == 8)
  }

  @Test func `that was dropped tells nothing`() throws {
    var transfers = TransferSet(now: .zero)
    let transfer = idleTransfer(1, of: try idleItem(), owner: owner)
    transfers.insert(transfer)
    transfers.drop(transfer)
    #expect(give(5, to: transfer) == .stop && owner.bodyByteCount == 0)
    transfer.exchangeEnded(transfer.exchange, .complete)
    #expect(owner.endCount == 0 && transfers[transfer.id] == nil)
    #expect(transfers.takeStops().map(\.id) == [transfer.id] && transfers.takeStops().isEmpty)
  }

  @Test func `counts received bytes between two calls`() throws {
    let transfer = idleTransfer(1, of: try idleItem(), owner: owner)
    transfer.count(3)
    transfer.count(4)
    #expect(transfer.takeUntold() == 7 && transfer.takeUntold() == 0)
  }
}

@Suite(.waiting) struct `Transfer set` {
  private let owner = NotingOwner()
  private let limit: Duration = .seconds(10)

  private func after(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

  /// An active transfer that is checked every tenth of a second up to this time.
  private func stalled(_ transfers: inout TransferSet, until seconds: Int) -> [(Transfer, Bool)] {
    for tenth in 0..<seconds * 10 {
      let found = transfers.stalled(for: { _ in limit }, now: .zero + .milliseconds(100 * tenth))
      if !found.isEmpty { return found }
    }
    return []
  }

  @Test func `starts transfers in order, once, and not those that were stopped`() throws {
    var transfers = TransferSet(now: .zero)
    for number in 1...3 { transfers.start(idleTransfer(number, of: try idleItem(), owner: owner).exchange.order) }
    transfers.cancelStart(TransferID(number: 2))
    #expect(transfers.takeStarts().map(\.id.number) == [1, 3])
    #expect(transfers.takeStarts().isEmpty)
  }

  @Test func `finds transfers behind an end that was moved`() throws {
    var transfers = TransferSet(now: .zero)
    let (near, far) = (
      idleTransfer(1, of: try idleItem(), owner: owner), idleTransfer(2, of: try idleItem(), owner: owner)
    )
    for transfer in [near, far] {
      transfers.insert(transfer)
      transfer.begin(.store(at: 0, skip: 0, end: nil), contentLength: 1000, SmallBlockPool())
      _ = [UInt8](repeating: 1, count: 100).withUnsafeBytes { transfer.segment.take($0, from: 0, now: .zero) }
    }
    #expect(transfers.takePassed().isEmpty)
    transfers.setEnd(near.id, 50)
    transfers.setEnd(far.id, 500)
    #expect(transfers.takePassed().map(\.id) == [near.id])
    #expect(transfers.takePassed().isEmpty, "told once")
  }

  @Test func `lists the transfers of an item in order of their start`() throws {
    var transfers = TransferSet(now: .zero)
    let (one, other) = (try idleItem(0), try idleItem(1))
    for number in (1...9).reversed() {
      transfers.insert(idleTransfer(number, of: number.isMultiple(of: 3) ? other : one, owner: owner))
    }
    #expect(transfers.of(other).map(\.id.number) == [3, 6, 9])
    #expect(transfers.of(one).count == 6 && transfers.all.count == 9)
    #expect(transfers.remove(TransferID(number: 3)) && !transfers.remove(TransferID(number: 3)))
  }

  @Test func `finds stalled transfers`() throws {
    var transfers = TransferSet(now: .zero)
    let (quiet, active, throttled) = (
      idleTransfer(1, of: try idleItem(), owner: owner), idleTransfer(2, of: try idleItem(), owner: owner),
      idleTransfer(3, of: try idleItem(), owner: owner)
    )
    for transfer in [quiet, active, throttled] { transfers.insert(transfer) }
    active.exchange.lastActivity = after(8)
    throttled.deferredResult = .complete
    let found = stalled(&transfers, until: 15)
    #expect(found.map(\.0.id) == [quiet.id] && found.allSatisfy { !$0.1 })
  }

  @Test func `does not count the time of a blocked loop as a stall`() throws {
    var transfers = TransferSet(now: .zero)
    transfers.insert(idleTransfer(1, of: try idleItem(), owner: owner))
    #expect(transfers.stalled(for: { _ in limit }, now: after(60)).isEmpty)
    #expect(transfers.stalled(for: { _ in limit }, now: after(60) + .milliseconds(100)).isEmpty)
  }
}
