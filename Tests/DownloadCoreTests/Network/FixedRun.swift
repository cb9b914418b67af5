/// The best that a fixed number of connections could do in a world: all of them work until the last byte, no range costs
/// a round trip, nothing is fetched twice. No client is as good; it is what the machines are measured against.
struct FixedRun {
  private let world: NetworkWorld
  private var network: SimulatedNetwork
  private var waiting: [Int]
  /// By file: bytes to come.
  private var lefts: [Double]
  private var nextFlow = 0
  /// By flow: the file.
  private var atWork: [Int: Int] = [:]
  private var places: Int
  private var received = 0.0
  /// Of one file: it is known how long it is, so others may help.
  private var isSplit = false

  init(_ world: NetworkWorld, connections: Int, seed: UInt64) {
    self.world = world
    network = SimulatedNetwork(world, seed: seed)
    waiting = Array(world.files.indices)
    lefts = world.files.map(Double.init)
    places = connections
  }

  /// The time it takes, seconds.
  static func time(_ world: NetworkWorld, connections: Int, seed: UInt64) -> Double {
    var run = FixedRun(world, connections: connections, seed: seed)
    return world.files.count == 1 ? run.splitFile() : run.manyFiles()
  }

  private mutating func request(_ file: Int, byteCount: Double) {
    atWork[nextFlow] = file
    network.request(nextFlow, byteCount: byteCount)
    nextFlow += 1
  }

  private mutating func manyFiles() -> Double {
    while !waiting.isEmpty || !atWork.isEmpty {
      while atWork.count < max(1, places), let file = waiting.popLast() {
        request(file, byteCount: lefts[file])
      }
      for event in network.next(until: .infinity) {
        switch event {
        case .head(_, false): break
        case .head(let flow, true):
          network.abort(flow)
          places -= 1
          waiting.append(atWork.removeValue(forKey: flow)!)
        case .failed(let flow, let fault, let left):
          if fault == .connectRefused { places -= 1 }
          lefts[atWork[flow]!] = left
          waiting.append(atWork.removeValue(forKey: flow)!)
        case .ended(let flow): atWork[flow] = nil
        }
      }
    }
    return network.now
  }

  private mutating func splitFile() -> Double {
    let size = Double(world.files[0])
    while true {
      while atWork.count < max(1, isSplit ? places : 1) { request(0, byteCount: size) }
      let before = network.now
      let left = size - received
      let rate = network.totalRate
      let end = rate > 0 ? before + left / rate : .infinity
      let events = network.next(until: min(end, before + 60))
      received += network.collect()
      if received > size - 1 { return network.now }
      for event in events {
        switch event {
        case .head(_, false): isSplit = true
        case .head(let flow, true):
          network.abort(flow)
          atWork[flow] = nil
          places -= 1
        case .failed(let flow, let fault, _):
          atWork[flow] = nil
          if fault == .connectRefused { places -= 1 }
        case .ended(let flow): atWork[flow] = nil
        }
      }
    }
  }
}
