import Testing

@testable import DownloadCore

@Suite struct `Speeds of a file's connections` {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// A transfer that was answered at time 0 and delivers.
  private func transfer(_ id: Int) -> ActiveTransfer {
    let location = Location(scheme: .https, host: "a", port: 443, path: "/f", query: nil)
    let order = TransferOrder(
      id: TransferID(number: id), item: 0, mirror: 0, location: location, asked: .whole, purpose: .content,
      condition: nil, isSegment: false)
    var transfer = ActiveTransfer(order, end: .max, startedAt: .zero)
    transfer.stage = .receiving
    return transfer
  }

  @Test func `a new connection is assumed to be as fast as its siblings`() {
    var speeds = FileSpeeds()
    var active = [transfer(0), transfer(1), transfer(2)]
    for tick in Int64(1)...40 {
      for index in 0..<2 { active[index].received += 25_000 }
      speeds.measure(&active, now: at(25 * tick))
    }
    active[2].answeredAt = at(1000)
    let measured = speeds.speed(of: active[0], among: active, now: at(1000))
    #expect(abs(measured - 1_000_000) < 20_000)
    #expect(!speeds.isMature(active[2], now: at(1000)))
    #expect(speeds.speed(of: active[2], among: active, now: at(1000)) == max(active[0].speed, active[1].speed))
  }

  @Test func `before the first measurement the speed of the host's connections is used, else none`() {
    var speeds = FileSpeeds()
    let only = [transfer(0)]
    #expect(speeds.typicalSpeed(besides: TransferID(number: 0), among: only, now: at(10)) == nil)
    speeds.hostSpeed = 5000
    #expect(speeds.typicalSpeed(besides: TransferID(number: 0), among: only, now: at(10)) == 5000)
  }

  @Test func `in slow start a connection may deliver several times what it has delivered`() {
    var speeds = FileSpeeds()
    speeds.roundTrip = .milliseconds(100)
    var young = transfer(0)
    young.received = 50_000
    #expect(speeds.lead(of: young, among: [young], now: at(100)) >= 150_000)
  }
}
