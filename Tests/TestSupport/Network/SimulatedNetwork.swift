import DownloadCore
import Glibc

func exponential(_ x: Double) -> Double { exp(x) }
func logarithm(_ x: Double) -> Double { log(x) }

/// A fluid model of the connections to the server of a `NetworkWorld`: between two events each has a constant rate.
///
/// The rate is the connection's fair share of the path, limited by its window per round trip, which doubles in slow
/// start, and by the server and policers. Requests are flows. A flow that completes leaves its connection for the next
/// one.
struct SimulatedNetwork {
  enum Event {
    case head(flow: Int, isRefusal: Bool)
    case ended(flow: Int)
    /// `left` is the number of missing bytes.
    case failed(flow: Int, TransferFault, left: Double)
  }

  struct Flow {
    let id: Int
    fileprivate(set) var connection: Connection
    let isOnNewConnection: Bool
    /// When the head or the refusal of the connection arrives.
    var headAt: Double
    var isAnswered = false
    var isRefusal = false
    var left: Double
    var arrived = 0.0
    var closesAtEnd = false
    var rate = 0.0
  }

  struct Connection {
    var window: Double
    var growsAt = Double.infinity
    var limit: Double
    var burst: Double
    /// Nothing arrives before this time, because the last burst was ahead of the rate.
    var resumesAt = -Double.infinity
    var requestCount = 0
    var breaksAt: Double
  }

  let world: NetworkWorld
  private(set) var now = 0.0
  private(set) var flows: [Flow] = []
  private var idle: [Connection] = []
  private var random: SeededGenerator
  private(set) var connectionCount = 0
  private var uncollected = 0.0
  private var pathBurst: Double
  private var ratesAreStale = true

  /// Ten segments (RFC 6928).
  private static let initialWindow = 14_600.0

  init(_ world: NetworkWorld, seed: UInt64) {
    self.world = world
    random = SeededGenerator(seed: seed)
    pathBurst = world.pathPolicer?.burst ?? .infinity
  }

  /// Bytes per second of all flows together.
  var totalRate: Double { flows.reduce(0) { $0 + $1.rate } }
  var answeredCount: Int { flows.count { $0.isAnswered && !$0.isRefusal } }

  /// The bytes received since the last call.
  mutating func collect() -> Double {
    defer { uncollected = 0 }
    return uncollected
  }

  func flow(_ id: Int) -> Flow? { flows.first { $0.id == id } }

  // MARK: Requests

  mutating func request(_ id: Int, byteCount: Double) {
    if world.failureInterval < .infinity { idle.removeAll { $0.breaksAt <= now } }
    let isNew = idle.isEmpty
    var connection = idle.popLast() ?? open()
    connection.requestCount += 1
    let wait = isNew ? (world.handshakeRoundTrips + 1) * world.roundTrip : world.roundTrip
    flows.append(
      Flow(id: id, connection: connection, isOnNewConnection: isNew, headAt: now + wait, left: max(byteCount, 1)))
    ratesAreStale = true
  }

  private mutating func open() -> Connection {
    connectionCount += 1
    var connection = Connection(
      window: Self.initialWindow, limit: world.connectionRate, burst: world.connectionPolicer?.burst ?? .infinity,
      breaksAt: .infinity)
    if let crawl = world.crawl, Int.random(in: 0..<crawl.oneIn, using: &random) == 0 { connection.limit = crawl.rate }
    if world.failureInterval < .infinity {
      connection.breaksAt = now - world.failureInterval * log(Double.random(in: 0.000_1...1, using: &random))
    }
    return connection
  }

  /// Only this many more bytes of the body are needed. The connection cannot be reused afterwards.
  mutating func shorten(_ id: Int, to left: Double) {
    guard let index = flows.firstIndex(where: { $0.id == id }), left < flows[index].left else { return }
    flows[index].left = max(left, 0)
    flows[index].closesAtEnd = true
  }

  /// Ends a request and its connection.
  mutating func abort(_ id: Int) {
    guard let index = flows.firstIndex(where: { $0.id == id }) else { return }
    flows.remove(at: index)
    ratesAreStale = true
  }

  // MARK: Time

  /// Advances until an event that the client notices, or until this time.
  mutating func next(until limit: Double) -> [Event] {
    while true {
      if ratesAreStale { computeRates() }
      let time = min(limit, nextChange)
      move(to: max(time, now))
      let events = takeEvents()
      if !events.isEmpty || now >= limit { return events }
    }
  }

  private var nextChange: Double {
    var time = Double.infinity
    var total = 0.0
    for flow in flows {
      let connection = flow.connection
      if !flow.isAnswered {
        time = min(time, flow.headAt)
      } else {
        time = min(time, now + flow.left / flow.rate, connection.growsAt)
        if connection.resumesAt > now { time = min(time, connection.resumesAt) }
        if connection.burst < .infinity { time = min(time, now + connection.burst / flow.rate) }
        total += flow.rate
      }
      time = min(time, connection.breaksAt)
    }
    if pathBurst < .infinity, pathBurst > 0 { time = min(time, now + pathBurst / total) }
    return time
  }

  private mutating func move(to time: Double) {
    let span = time - now
    now = time
    var total = 0.0
    for index in flows.indices where flows[index].isAnswered {
      let amount = flows[index].rate * span
      flows[index].left -= amount
      flows[index].arrived += amount
      total += amount
      if flows[index].connection.burst < .infinity {
        flows[index].connection.burst -= amount
        if flows[index].connection.burst < 1 {
          let policer = world.connectionPolicer!
          if policer.sendsPieces {
            flows[index].connection.burst = policer.burst
            flows[index].connection.resumesAt = now + policer.burst / policer.rate
          } else {
            flows[index].connection.burst = .infinity
            flows[index].connection.limit = min(flows[index].connection.limit, policer.rate)
          }
          ratesAreStale = true
        }
      }
      if flows[index].connection.resumesAt > now - span, flows[index].connection.resumesAt <= now {
        ratesAreStale = true
      }
      if flows[index].connection.growsAt <= now {
        flows[index].connection.window = min(flows[index].connection.window * 2, world.window)
        ratesAreStale = true
      }
    }
    uncollected += total
    if pathBurst > 0, pathBurst < .infinity {
      pathBurst -= total
      if pathBurst < 1 {
        pathBurst = 0
        ratesAreStale = true
      }
    }
  }

  private mutating func takeEvents() -> [Event] {
    var events: [Event] = []
    for flow in flows where isDue(flow) {
      let index = flows.firstIndex { $0.id == flow.id }!
      ratesAreStale = true
      if flow.connection.breaksAt <= now {
        flows.remove(at: index)
        let isKept = !flow.isOnNewConnection && !flow.isAnswered
        let fault = isKept ? TransferFault.keptConnectionClosed : .reset("reset by peer")
        events.append(.failed(flow: flow.id, fault, left: flow.left))
      } else if flow.isAnswered {
        release(flow)
        flows.remove(at: index)
        events.append(.ended(flow: flow.id))
      } else if answeredCount < world.connectionLimit {
        flows[index].isAnswered = true
        if let policer = world.connectionPolicer, policer.sendsPieces {
          flows[index].connection.burst = policer.burst
          flows[index].connection.resumesAt = -.infinity
        }
        events.append(.head(flow: flow.id, isRefusal: false))
      } else if world.refusal == .refused {
        flows.remove(at: index)
        events.append(.failed(flow: flow.id, .connectRefused(), left: flow.left))
      } else {
        flows[index].isAnswered = true
        flows[index].isRefusal = true
        flows[index].left = 100
        events.append(.head(flow: flow.id, isRefusal: true))
      }
    }
    return events
  }

  private func isDue(_ flow: Flow) -> Bool {
    flow.connection.breaksAt <= now || (flow.isAnswered ? flow.left < 0.5 : flow.headAt <= now)
  }

  /// A connection with a complete answer takes the next request.
  private mutating func release(_ flow: Flow) {
    let isUsedUp = flow.connection.requestCount >= world.requestsPerConnection
    if !flow.closesAtEnd, !isUsedUp { idle.append(flow.connection) }
  }

  // MARK: Rates

  /// Max-min fair: flows that need less than their share get what they need, the others share the rest equally.
  private mutating func computeRates() {
    ratesAreStale = false
    var room = pathBurst == 0 ? min(world.bandwidth, world.pathPolicer!.rate) : world.bandwidth
    var waiting: [Int] = []
    var caps: [Double] = []
    for index in flows.indices where flows[index].isAnswered {
      let connection = flows[index].connection
      waiting.append(index)
      caps.append(connection.resumesAt > now ? 0 : min(connection.window / world.roundTrip, connection.limit))
    }
    var sharers = waiting.count + (waiting.isEmpty ? 0 : world.competitors)
    var isStable = false
    while !isStable {
      isStable = true
      let share = room / Double(max(1, sharers))
      var position = 0
      while position < waiting.count {
        if caps[position] <= share {
          flows[waiting[position]].rate = max(caps[position], 1)
          room -= caps[position]
          sharers -= 1
          waiting.swapAt(position, waiting.count - 1)
          caps.swapAt(position, caps.count - 1)
          waiting.removeLast()
          caps.removeLast()
          isStable = false
        } else {
          position += 1
        }
      }
    }
    for index in waiting { flows[index].rate = max(room / Double(sharers), 1) }
    for index in flows.indices where flows[index].isAnswered { scheduleGrowth(index) }
  }

  /// The window grows while it limits the rate.
  private mutating func scheduleGrowth(_ index: Int) {
    let connection = flows[index].connection
    let isHeldByWindow =
      connection.window < world.window && flows[index].rate >= connection.window / world.roundTrip * 0.999
    if !isHeldByWindow {
      flows[index].connection.growsAt = .infinity
    } else if connection.growsAt <= now || connection.growsAt == .infinity {
      flows[index].connection.growsAt = now + world.roundTrip
    }
  }
}
