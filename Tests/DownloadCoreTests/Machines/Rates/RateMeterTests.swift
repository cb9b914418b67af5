import Testing

@testable import DownloadCore

@Suite struct `Rate meter` {
  @Test func `follows a new rate within its memory`() {
    var meter = RateMeter()
    meter.measure(1000, span: 0.5, memory: 1)
    #expect(meter.rate == 1000 && meter.counted == 1000)
    meter.measure(5000, span: 1, memory: 1)
    #expect(meter.rate == 4000)
    meter.measure(5000, span: 0.25, memory: 1)
    #expect(meter.rate == 3000)
  }

  @Test func `shares the bytes among connections`() {
    var meter = RateMeter()
    meter.measure(1000, span: 1, memory: 0.5, connections: 4)
    #expect(meter.rate == 250)
  }

  @Test func `a memory of no length keeps the last measurement only`() {
    var meter = RateMeter()
    for total in [100, 300, 600] as [Int64] { meter.measure(total, span: 0.01, memory: 0) }
    #expect(meter.rate == 30_000)
  }

  @Test func `skipped bytes count for nothing`() {
    var meter = RateMeter()
    meter.measure(1000, span: 1, memory: 1)
    meter.skip(to: 9000)
    meter.measure(10_000, span: 1, memory: 1)
    #expect(meter.rate == 1000)
  }
}
