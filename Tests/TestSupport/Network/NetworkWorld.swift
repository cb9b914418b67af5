/// A path to one server, the server's limits, and the files that are wanted of it. Times in seconds, rates in bytes per
/// second; no limit is infinity.
struct NetworkWorld {
  /// So many bytes at once, then no more than this rate.
  struct Policer {
    var burst: Double
    var rate: Double
    /// Of a connection, as with nginx's `limit_rate`: an answer comes in pieces of the burst's size, the first one at
    /// once, each next one when the rate would have brought the one before.
    var sendsPieces = false
  }

  enum Refusal: CaseIterable { case unavailable, tooMany, refused }

  var files: [Int64]
  var roundTrip = 0.001
  var bandwidth = Double.infinity
  /// Other people's connections on the path; each takes the share of one of ours.
  var competitors = 0
  /// Bytes on their way at most, of each connection.
  var window = 4e6
  var connectionRate = Double.infinity
  var connectionPolicer: Policer?
  var pathPolicer: Policer?
  /// Requests that the server answers at one time.
  var connectionLimit = Int.max
  var refusal = Refusal.unavailable
  var requestsPerConnection = Int.max
  /// Mean time after which a connection breaks.
  var failureInterval = Double.infinity
  /// One connection in so many, drawn at random, runs at this rate.
  var crawl: (oneIn: Int, rate: Double)?
  /// Round trips until a request can be sent: two over TLS.
  var handshakeRoundTrips = 1.0

  init(files: [Int64]) { self.files = files }

  /// What a single connection gets in the long run, alone on the path.
  private var single: Double {
    min(bandwidth / Double(1 + competitors), connectionRate, window / roundTrip, connectionPolicer?.rate ?? .infinity)
  }

  /// Draws a world; one file or many, from a second's to some seconds' work.
  init(_ random: inout SeededGenerator) {
    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
    /// Every order of magnitude is as likely as another.
    func spread(_ range: ClosedRange<Double>) -> Double {
      exponential(Double.random(in: logarithm(range.lowerBound)...logarithm(range.upperBound), using: &random))
    }
    self.init(files: [])
    roundTrip = spread(0.000_2...0.3)
    bandwidth = spread(1e6...3e8)
    window = [256e3, 1e6, 4e6, 16e6].randomElement(using: &random)!
    if chance(0.2) { competitors = Int.random(in: 1...8, using: &random) }
    if chance(0.5) { connectionRate = bandwidth / Double.random(in: 1...24, using: &random) }
    if chance(0.1) {
      connectionPolicer = Policer(
        burst: spread(2e5...8e6), rate: min(connectionRate, bandwidth) / Double.random(in: 2...16, using: &random))
    }
    if chance(0.1) {
      pathPolicer = Policer(burst: spread(1e6...3e7), rate: bandwidth / Double.random(in: 2...8, using: &random))
    }
    if chance(0.2) {
      connectionLimit = Int.random(in: 1...12, using: &random)
      refusal = Refusal.allCases.randomElement(using: &random)!
    }
    if chance(0.2) { requestsPerConnection = Int.random(in: 5...1000, using: &random) }
    if chance(0.15) { failureInterval = spread(max(1, roundTrip * 30)...max(30, roundTrip * 100)) }
    if chance(0.15) { crawl = (Int.random(in: 3...6, using: &random), single / spread(20...200)) }
    if chance(0.4) { handshakeRoundTrips = 2 }
    drawFiles(isSingle: chance(0.5), seconds: spread(0.4...4), typical: spread(2e3...3e6), &random)
  }

  /// - Parameter seconds: about how long the best choice should take, round trips aside.
  private mutating func drawFiles(
    isSingle: Bool, seconds: Double, typical: Double, _ random: inout SeededGenerator
  ) {
    let most = min(16, connectionLimit)
    var rate = min(bandwidth, single * Double(most))
    if let pathPolicer { rate = min(rate, pathPolicer.rate) }
    let total = min(max(rate * seconds, 3e5), 1e9)
    if isSingle {
      files = [Int64(total)]
    } else {
      let typical = max(typical, total / 400)
      let count = max(Int(total / typical), 10)
      files = (0..<count).map { _ in Int64(max(100, typical * Double.random(in: 0.2...1.8, using: &random))) }
    }
  }
}
