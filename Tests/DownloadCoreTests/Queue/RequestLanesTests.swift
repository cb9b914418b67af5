import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Lanes of requests` {
  private static func host(_ number: Int) -> Origin { Origin(scheme: .https, host: "h\(number)", port: 443) }

  @Test func `give the earliest request of a host that has room`() {
    var lanes = RequestLanes<Int>()
    for (request, host) in [(0, 1), (1, 2), (2, 1), (3, 3)] { lanes.append(request, host: Self.host(host)) }
    #expect(lanes.count == 4 && !lanes.haveOneHost && lanes.contains(Self.host(3)))
    #expect(lanes.next { $0 != Self.host(1) } == 1)
    #expect(lanes.next { _ in false } == nil)
    #expect(lanes.next { _ in true } == 0)
    #expect(lanes.next { $0 != Self.host(1) } == 3)
    #expect(lanes.haveOneHost && !lanes.contains(Self.host(3)))
    #expect(lanes.next { _ in true } == 2)
    #expect(lanes.isEmpty && lanes.next { _ in true } == nil)
  }

  /// Against a model: a list of everything that waits.
  @Test func `lose nothing, give nothing twice, and keep the order of each host`() {
    for seed in UInt64(1)...200 {
      var random = SeededGenerator(seed: seed)
      var lanes = RequestLanes<Int>()
      var model: [(request: Int, host: Int)] = []
      var next = 0
      for _ in 0..<300 {
        if Bool.random(using: &random) {
          let host = Int.random(in: 0..<5, using: &random)
          lanes.append(next, host: Self.host(host))
          model.append((next, host))
          next += 1
        } else {
          let open = Set((0..<5).filter { _ in Bool.random(using: &random) })
          let hosts = Set(open.map(Self.host))
          let expected = model.firstIndex { open.contains($0.host) }
          #expect(lanes.next { hosts.contains($0) } == expected.map { model[$0].request }, "seed \(seed)")
          if let expected { model.remove(at: expected) }
        }
        #expect(lanes.count == model.count && lanes.haveOneHost == (Set(model.map(\.host)).count <= 1))
      }
    }
  }
}
