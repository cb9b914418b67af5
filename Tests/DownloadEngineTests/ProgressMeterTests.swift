import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

@Suite struct `Progress meter` {
  private let owner = NotingOwner()

  /// A transfer with received bytes of a range that are not written yet.
  private func transfer(_ number: Int, of item: ActiveItem, holding range: Range<Int64>) -> Transfer {
    let transfer = idleTransfer(number, of: item, owner: owner)
    transfer.begin(.store(at: range.lowerBound, skip: 0, end: nil), contentLength: nil, SmallBlockPool())
    let bytes = [UInt8](repeating: 1, count: range.count)
    _ = bytes.withUnsafeBytes { transfer.segment.take($0, from: 0, now: .zero) }
    return transfer
  }

  private func snapshot(
    _ meter: inout ProgressMeter, _ items: [ActiveItem] = [], _ transfers: [Transfer] = [], at seconds: Double = 1
  ) -> RunProgress {
    meter.snapshot(
      items: items, transfers: transfers, machine: RunMachine(settings: RunSettings()), itemCount: 9,
      connectionCount: transfers.count, now: .zero + Duration.seconds(seconds))
  }

  @Test func `counts bytes of two transfers once`() throws {
    var meter = ProgressMeter(now: .zero)
    let item = try idleItem()
    let transfers = [
      transfer(1, of: item, holding: 0..<1000), transfer(2, of: item, holding: 600..<1500),
      transfer(3, of: item, holding: 5000..<5100),
    ]
    let progress = snapshot(&meter, [item], transfers)
    #expect(progress.active.map(\.doneByteCount) == [1600] && progress.doneByteCount == 1600)
    #expect(progress.knownByteCount == nil && progress.connectionCount == 3 && progress.itemCount == 9)
  }

  @Test func `adds up ended files, except failed ones`() throws {
    var meter = ProgressMeter(now: .zero)
    #expect(meter.meanFileByteCount == 0)
    meter.ended(.downloaded, byteCount: 300)
    meter.ended(.kept, byteCount: 100)
    meter.ended(.failed(Failure(.deadline(lastFault: nil, hasReceived: true))), byteCount: 50)
    let progress = snapshot(&meter)
    #expect(progress.downloadedCount == 1 && progress.keptCount == 1 && progress.failedCount == 1)
    #expect(progress.doneByteCount == 400 && progress.knownByteCount == 400)
    #expect(meter.endedCount == 3 && meter.meanFileByteCount == 200)
  }

  @Test func `adds extreme lengths without a trap`() throws {
    var meter = ProgressMeter(now: .zero)
    meter.ended(.kept, byteCount: 100)
    let item = try idleItem()
    item.completeLength = .max
    #expect(snapshot(&meter, [item]).knownByteCount == .max)
  }

  @Test func `measures the rate over reports`() throws {
    var meter = ProgressMeter(now: .zero)
    meter.received(1000)
    #expect(snapshot(&meter, at: 1).rate == 1000)
    meter.received(2000)
    #expect(snapshot(&meter, at: 1.05).rate == 1000, "too short a time to measure")
    let progress = snapshot(&meter, at: 2)
    #expect(progress.rate > 1500 && progress.rate < 2000 && progress.receivedByteCount == 3000)
    #expect(progress.elapsed == .seconds(2))
  }
}
