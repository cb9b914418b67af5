import DownloadCore
import Testing

@Suite struct `Received bytes` {
  @Test func `are counted by mirror`() {
    var received = ReceivedBytes(5)
    for (count, mirror) in [(10, 0), (20, 2), (1, 1), (300, 2)] { received.add(Int64(count), mirror: mirror) }
    #expect(received.total == 336)
    #expect((0..<4).map { received.from(mirror: $0) } == [15, 1, 320, 0])
  }
}
