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

  /// The time that the best number of connections takes, seconds.
  static func best(_ world: NetworkWorld, seed: UInt64) -> (time: Double, connections: Int) {
    var best = (time: Double.infinity, connections: 0)
    for connections in world.files.count == 1 ? [16, 8, 4, 2, 1] : [64, 32, 16, 8, 4, 2, 1] {
      let time = time(world, connections: connections, seed: seed, within: best.time)
      if time < best.time { best = (time, connections) }
    }
    return best
  }

  /// The time that this number of connections takes, seconds; not looked at beyond `longest`.
  static func time(
    _ world: NetworkWorld, connections: Int, seed: UInt64, within longest: Double = .infinity
  ) -> Double {
    var run = FixedRun(world, connections: connections, seed: seed)
    return world.files.count == 1 ? run.splitFile(within: longest) : run.manyFiles(within: longest)
  }

  private mutating func request(_ file: Int, byteCount: Double) {
    atWork[nextFlow] = file
    network.request(nextFlow, byteCount: byteCount)
    nextFlow += 1
  }

  private mutating func manyFiles(within longest: Double) -> Double {
    while !waiting.isEmpty || !atWork.isEmpty, network.now < longest {
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

  private mutating func splitFile(within longest: Double) -> Double {
    let size = Double(world.files[0])
    // Pieces change the rate without an event.
    let longestStep = world.connectionPolicer?.sendsPieces == true ? 0.01 : 60
    while network.now < longest {
      while atWork.count < max(1, isSplit ? places : 1) { request(0, byteCount: size) }
      let before = network.now
      let left = size - received
      let rate = network.totalRate
      let end = rate > 0 ? before + left / rate : .infinity
      let events = network.next(until: min(end, before + longestStep))
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
    return network.now
  }
}
