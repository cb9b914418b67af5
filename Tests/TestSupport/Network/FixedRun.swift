/// A lower bound for the time of a fixed number of connections in a world: all of them are busy until the last byte,
/// ranges cost no round trip, and no byte is fetched twice. The machines are compared with it.
struct FixedRun {
  private let world: NetworkWorld
  private var network: SimulatedNetwork
  private var waiting: [Int]
  /// Missing bytes by file.
  private var lefts: [Double]
  private var nextFlow = 0
  /// The file of each flow.
  private var atWork: [Int: Int] = [:]
  private var places: Int
  private var received = 0.0
  /// Whether the length of the file is known, so that further flows can help.
  private var isSplit = false

  init(_ world: NetworkWorld, connections: Int, seed: UInt64) {
    self.world = world
    network = SimulatedNetwork(world, seed: seed)
    waiting = Array(world.files.indices)
    lefts = world.files.map(Double.init)
    places = connections
  }

  /// The time of the best number of connections, in seconds.
  static func best(_ world: NetworkWorld, seed: UInt64) -> (time: Double, connections: Int) {
    var best = (time: Double.infinity, connections: 0)
    for connections in world.files.count == 1 ? [16, 8, 4, 2, 1] : [64, 32, 16, 8, 4, 2, 1] {
      let time = time(world, connections: connections, seed: seed, within: best.time)
      if time < best.time { best = (time, connections) }
    }
    return best
  }

  /// The time of this number of connections, in seconds; stops at `longest`.
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
          if fault == .connectRefused() { places -= 1 }
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
    // Bursts change the rate without an event.
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
          if fault == .connectRefused() { places -= 1 }
        case .ended(let flow): atWork[flow] = nil
        }
      }
    }
    return network.now
  }
}
