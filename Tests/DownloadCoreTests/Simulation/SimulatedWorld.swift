import DownloadCore
import TestSupport

/// The files, mirrors, hosts and settings of one simulated run, drawn from a seed.
struct SimulatedWorld {
  var files: [SimulatedFile] = []
  /// By item and mirror.
  var sources: [[Behaviour]] = []
  var locations: [[Location]] = []
  /// How many mirrors of each item, the last ones, only answers name.
  var linkedCount = 0
  /// The hosts of mirrors, then the same number of hosts of redirect targets.
  var hosts: [Host] = []
  var settings = RunSettings()
  var window: Int64 = 256 << 20
  var stallTimeout = Duration.seconds(3)
  /// When the run is killed and started again from its records.
  var kills: [Instant] = []
  var pauses: [(at: Instant, span: Duration, item: Int)] = []
  var commands: [(at: Instant, change: TaskChange, selection: TaskSelection)] = []
  /// Limits that change in the middle.
  var limits: [(at: Instant, limits: SimulatedDownload.Limits)] = []
  var redirectsAcrossHosts = false

  static let firstPort: UInt16 = 8000

  /// What was drawn besides what every world has.
  var dimensions: [Dimension] = []

  func hostIndex(of location: Location) -> Int {
    let number = Int(location.port) - Int(Self.firstPort)
    return number >= 100 ? number - 100 + hosts.count / 2 : number
  }

  func host(_ item: Int, _ mirror: Int) -> Host { hosts[hostIndex(of: locations[item][mirror])] }

  // MARK: Drawing

  init(_ random: inout SeededGenerator) {
    let isHostile = Int.random(in: 0..<3, using: &random) == 0
    let isCalm = Int.random(in: 0..<6, using: &random) == 0
    drawSettings(&random)
    let mirrorCount = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 2...3, using: &random) : 1
    for _ in 0..<mirrorCount { hosts.append(isCalm ? calmHost(&random) : host(isHostile: isHostile, &random)) }
    for host in hosts.indices where !isCalm {
      hosts[host].isDead = Int.random(in: 0..<(host > 0 ? 6 : isHostile ? 12 : 1000), using: &random) == 0
    }
    hosts += (0..<mirrorCount).map { _ in calmHost(&random) }
    redirectsAcrossHosts = Bool.random(using: &random)
    let fileCount = [1, 1, 1, 1, 1, 1, 2, 3, 5, 24].randomElement(using: &random)!
    for item in 0..<fileCount {
      files.append(file(item, isSmall: fileCount > 3, isCalm: isCalm, isHostile: isHostile, &random))
      sources.append(
        (0..<mirrorCount).map {
          isCalm ? Behaviour() : behaviour(item, mirror: $0, isHostile: isHostile, &random)
        })
      locations.append(
        (0..<mirrorCount).map {
          Location(
            scheme: .https, host: "host.example", port: Self.firstPort + UInt16($0), path: "/\(item)/\($0)", query: nil)
        })
    }
    if !isCalm, Int.random(in: 0..<4, using: &random) == 0 {
      kills = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Instant.zero + .milliseconds(Int64.random(in: 0...5000, using: &random))
      }.sorted()
    }
    if Int.random(in: 0..<8, using: &random) == 0 {
      pauses = [
        (
          .zero + .milliseconds(Int64.random(in: 0...4000, using: &random)),
          .milliseconds(Int64.random(in: 0...2000, using: &random)), Int.random(in: 0..<fileCount, using: &random)
        )
      ]
    }
  }

  private mutating func drawSettings(_ random: inout SeededGenerator) {
    settings.file.tries = Int.random(in: 2...5, using: &random)
    settings.file.minSplitSize = [nil, nil, 64 << 10, 300_000, 1 << 20, 8_000_000].randomElement(using: &random)!
    settings.file.maxConnections = [16, 16, 1, 2, 4, 16].randomElement(using: &random)!
    settings.limits.maxConnectionsPerHost = [64, 64, 8, 2, 1].randomElement(using: &random)!
    settings.file.retryWait = .seconds([60, 10, 2].randomElement(using: &random)!)
    settings.limits.jobs = [nil, nil, 1, 3].randomElement(using: &random)!
    settings.file.allowsUnconfirmed = Int.random(in: 0..<10, using: &random) == 0
    if Int.random(in: 0..<10, using: &random) == 0 {
      settings.target.verifyCommand = (try? CommandWords(text: Array("true".utf8))).map { VerifyCommand($0) }
    }
    window = [256 << 20, 4 << 20, 1 << 20].randomElement(using: &random)!
    stallTimeout = .seconds(Int64.random(in: 1...4, using: &random))
  }

  private func calmHost(_ random: inout SeededGenerator) -> Host {
    var host = Host()
    host.roundTrip = .milliseconds([1, 20, 100].randomElement(using: &random)!)
    host.connectionRate = [5e5, 1e6, 4e6].randomElement(using: &random)!
    host.totalRate = host.connectionRate * [1.0, 3.0, 8.0].randomElement(using: &random)!
    return host
  }

  private func host(isHostile: Bool, _ random: inout SeededGenerator) -> Host {
    var host = calmHost(&random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      host.connectionLimit = Int.random(in: 1...4, using: &random)
      host.refusesBeyondLimit = Bool.random(using: &random)
    }
    if Int.random(in: 0..<4, using: &random) == 0 { host.closesKeptProbability = 0.3 }
    host.keepsClosing = isHostile && Int.random(in: 0..<8, using: &random) == 0
    if host.keepsClosing { host.closesKeptProbability = 1 }
    let count =
      isHostile ? Int.random(in: 0...40, using: &random) : Int.random(in: 0...settings.file.tries - 1, using: &random)
    host.trouble = (0..<count).map { _ in Host.Trouble.allCases.randomElement(using: &random)! }
    host.troubleProbability = [0.1, 0.5, 1].randomElement(using: &random)!
    return host
  }

  private func file(
    _ item: Int, isSmall: Bool, isCalm: Bool, isHostile: Bool, _ random: inout SeededGenerator
  ) -> SimulatedFile {
    let most: Int64 =
      isSmall
      ? [10, 10_000, 200_000].randomElement(using: &random)!
      : [0, 5000, 400_000, 1_500_000, 6_000_000, 6_000_000].randomElement(using: &random)!
    let age: Int64 = [0, 1, 2, 5, 100_000, 100_000].randomElement(using: &random)!
    let isBeingWritten = !isCalm && Int.random(in: 0..<12, using: &random) == 0
    let file = SimulatedFile(
      item: item, length: Int64.random(in: 0...most, using: &random),
      modified: SimulatedDownload.unixStart - (isBeingWritten ? 0 : age))
    if Int.random(in: 0..<3, using: &random) == 0 { file.digestVersion = file.current.number }
    if Int.random(in: 0..<4, using: &random) == 0 { file.expectedLength = file.current.length }
    guard !isCalm else { return file }
    if isHostile, Int.random(in: 0..<12, using: &random) == 0 { file.expectedLength = file.current.length + 1 }
    if isBeingWritten {
      // Within the second of the modification time, which is then weak.
      file.keepsLengthOnChange = true
      file.changes = [.afterRequests(1)]
      file.digestVersion = nil
    } else if Int.random(in: 0..<4, using: &random) == 0 {
      file.keepsLengthOnChange = Bool.random(using: &random)
      let count = Int.random(in: 1...(isHostile ? 8 : 3), using: &random)
      var at = Int64(0)
      file.changes = (0..<count).map { _ in
        at += Int64.random(in: 0...2000, using: &random)
        return Bool.random(using: &random)
          ? .at(.zero + .milliseconds(at)) : .afterRequests(Int.random(in: 1...10, using: &random))
      }
      if isHostile, Int.random(in: 0..<4, using: &random) == 0 { file.changes = [.everyRequest] }
    }
    return file
  }

  private func behaviour(
    _ item: Int, mirror: Int, isHostile: Bool, _ random: inout SeededGenerator
  ) -> Behaviour {
    var source = Behaviour()
    func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    source.tags = [.strong, .strong, .strong, .rotating, .weak, .none].randomElement(using: &random)!
    source.tellsDate = !one(in: 3)
    if one(in: 5) { source.framing = [.chunked, .closeDelimited].randomElement(using: &random)! }
    source.servesRanges = !one(in: 8)
    source.reshapesRanges = one(in: 8)
    source.hidesCompleteLength = one(in: 10)
    source.isCoded = one(in: 16)
    if one(in: 3) {
      let least = Int64.random(in: 64_000...300_000, using: &random)
      source.cut = least...least + Int64.random(in: 0...300_000, using: &random)
      if isHostile, one(in: 2) { source.cut = 0...20_000 }
    }
    if files[item].changes == [.afterRequests(1)], one(in: 2) {
      // Nothing distinguishes the versions, and a broken attempt may lie between them.
      source.tags = .weak
      source.tellsDate = true
      source.framing = .length
      source.isCoded = false
      source.cut = 1000...60_000
    }
    source.hidesCuts = source.framing == .closeDelimited && isHostile && one(in: 2)
    if source.framing == .closeDelimited {
      // Drawn from a separate generator, so that other worlds do not change.
      var apart = random
      source.endsUnauthenticated = Bool.random(using: &apart)
      // If the connection is always cut at the same place, two fetches of a truncated body agree.
      if Int.random(in: 0..<3, using: &apart) == 0 {
        source.framing = .stream
        source.speaksHTTP1 = Bool.random(using: &apart)
        source.hidesCuts = true
        source.endsUnauthenticated = false
      }
      if source.endsUnauthenticated, source.hidesCuts, let cut = source.cut {
        source.cut = cut.lowerBound...cut.lowerBound
      }
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: source.redirect = .chain(Int.random(in: 1...4, using: &random))
    case 2: source.redirect = .expiring(.milliseconds(Int64.random(in: 500...3000, using: &random)))
    case 3:
      source.redirect =
        redirectsAcrossHosts ? .dying(.milliseconds(Int64.random(in: 500...3000, using: &random))) : .none
    case 4 where isHostile: source.redirect = one(in: 2) ? .loop : .chain(25)
    default: break
    }
    if mirror > 0, one(in: 2) {
      if one(in: 2) { source.status = 404 } else { source.otherVersion = otherVersion(item, &random) }
    }
    guard isHostile else { return source }
    if one(in: 2) {
      source.lies = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        Behaviour.Lie.allCases.randomElement(using: &random)!
      }
      // Without a digest only detectable lies are drawn.
      if files[item].digests.isEmpty { source.lies.removeAll { $0 == .undetectableVersion || $0 == .otherStart } }
      source.lieProbability = [0.3, 0.6, 1].randomElement(using: &random)!
      if one(in: 2) { source.lieCount = Int.random(in: 1...4, using: &random) }
      if one(in: 2) {
        // Lies need requests for ranges.
        source.tags = .strong
        source.framing = .length
        source.servesRanges = true
        source.isCoded = false
      }
    }
    if one(in: 12) {
      source.status = [401, 403, 404, 410, 416, 429, 451, 500, 503, 504, 520].randomElement(using: &random)!
    }
    if mirror == 0, one(in: 10), !files[item].digests.isEmpty { source.otherVersion = otherVersion(item, &random) }
    return source
  }

  func otherVersion(_ item: Int, _ random: inout SeededGenerator) -> SimulatedFile.Version {
    let file = files[item].current
    return SimulatedFile.Version(
      number: file.number + 900, length: Bool.random(using: &random) ? file.length : file.length + 5000,
      // Builds of one day on two mirrors have one date.
      modified: file.modified - (Bool.random(using: &random) ? 86_400 : 0))
  }
}
