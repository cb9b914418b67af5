/// A path to a server, the server's limits, and the requested files. Times are in seconds, rates in bytes per second;
/// infinity means no limit.
struct NetworkWorld {
  /// This many bytes at once, then at most this rate.
  struct Policer {
    var burst: Double
    var rate: Double
    /// A limit for each connection like nginx's `limit_rate`: the server sends a burst at once, and the next one when
    /// the previous one is due at the rate.
    var sendsPieces = false
  }

  enum Refusal: CaseIterable { case unavailable, tooMany, refused }

  var files: [Int64]
  var roundTrip = 0.001
  var bandwidth = Double.infinity
  /// Other connections on the path. Each takes the share of one of these.
  var competitors = 0
  /// The window: the maximum of bytes in transit for each connection.
  var window = 4e6
  var connectionRate = Double.infinity
  var connectionPolicer: Policer?
  var pathPolicer: Policer?
  /// The maximum of concurrent requests.
  var connectionLimit = Int.max
  var refusal = Refusal.unavailable
  var requestsPerConnection = Int.max
  /// The mean lifetime of a connection.
  var failureInterval = Double.infinity
  /// One connection in this many, at random, has this rate.
  var crawl: (oneIn: Int, rate: Double)?
  /// Round trips before a request can be sent; two with TLS.
  var handshakeRoundTrips = 1.0

  init(files: [Int64]) { self.files = files }

  /// The rate of a single connection in the long run, alone on the path.
  private var single: Double {
    min(bandwidth / Double(1 + competitors), connectionRate, window / roundTrip, connectionPolicer?.rate ?? .infinity)
  }

  /// Draws a world with one file or many, for a run of one to some seconds.
  init(_ random: inout SeededGenerator) {
    func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
    /// All orders of magnitude are equally likely.
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

  /// - Parameter seconds: the approximate time of the best choice, without round trips.
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
