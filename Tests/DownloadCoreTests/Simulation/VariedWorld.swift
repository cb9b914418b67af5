import DownloadCore
import TestSupport

/// What servers and links do besides what every world has. Each is drawn independently of the others.
enum Dimension: CaseIterable {
  /// Mirrors with validators of their own, some of them with other content of the same length and date.
  case mirrors
  /// All mirrors have one host.
  case sharedHost
  /// Requests are refused by their number.
  case refusals
  /// Redirects to nothing, to themselves, and to targets that serve a few requests.
  case redirects
  /// One of a host's addresses is silent.
  case addresses
  case http2
  /// Codings that change the bytes and codings that do not.
  case codings
  /// Modification times that are equal, too young, going back, or missing.
  case dates
  /// Servers with different versions behind one name.
  case backends
  /// Digests of pieces.
  case pieces
  case speeds
}

extension SimulatedWorld {
  static func varying(_ random: inout SeededGenerator) -> SimulatedWorld {
    let dimensions = Dimension.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    let needsMirrors = dimensions.contains(.mirrors) || dimensions.contains(.sharedHost)
    var world: SimulatedWorld
    repeat { world = SimulatedWorld(&random) } while needsMirrors && world.hosts.count < 4
    world.dimensions = dimensions
    if Bool.random(using: &random) { world.quieten() }
    for dimension in dimensions { world.vary(dimension, &random) }
    world.makeVersionsTellable()
    return world
  }

  /// Takes out what interrupts transfers.
  private mutating func quieten() {
    kills = []
    pauses = []
    for host in hosts.indices {
      hosts[host].trouble = []
      hosts[host].isDead = false
      hosts[host].connectionLimit = .max
      hosts[host].closesKeptProbability = 0
      hosts[host].keepsClosing = false
    }
    for item in files.indices {
      files[item].changes = []
      for mirror in sources[item].indices {
        sources[item][mirror].cut = nil
        sources[item][mirror].lies = []
        sources[item][mirror].status = nil
        sources[item][mirror].redirect = .none
      }
    }
  }

  private mutating func vary(_ dimension: Dimension, _ random: inout SeededGenerator) {
    switch dimension {
    case .sharedHost:
      for item in locations.indices {
        locations[item] = locations[item].map {
          Location(scheme: .https, host: $0.host, port: Self.firstPort, path: $0.path, query: nil)
        }
      }
    case .addresses:
      let host = Int.random(in: 0..<hosts.count / 2, using: &random)
      hosts[host].hasSilentAddress = true
    case .speeds:
      for host in 0..<hosts.count / 2 {
        hosts[host].connectionRate = [1e4, 1e5, 1e6, 3e7].randomElement(using: &random)!
        hosts[host].totalRate = hosts[host].connectionRate * [1, 3, 8].randomElement(using: &random)!
      }
    case .http2:
      for host in hosts.indices where Bool.random(using: &random) {
        hosts[host].http2 = Host.HTTP2.allCases.randomElement(using: &random)!
      }
      varySources(&random) { source, random in
        source.framing = [.length, .chunked, .closeDelimited].randomElement(using: &random)!
        source.hidesCuts = Bool.random(using: &random)
        // Two readings that are cut at the same place agree.
        if let cut = source.cut, cut.count == 1 { source.cut = cut.lowerBound...cut.lowerBound + 300_000 }
      }
    case .mirrors: varyMirrors(&random)
    case .refusals: varySources(&random) { $0.refusals = Self.refusals(&$1) }
    case .redirects:
      redirectsAcrossHosts = Bool.random(using: &random)
      varySources(&random) { $0.redirect = Self.redirect(&$1) }
    case .codings:
      varySources(&random) { source, random in
        source.codedShare = [0, 0, 0.3, 1].randomElement(using: &random)!
        source.idleCoding = ["none", "identity,", "utf-8", "binary", "aws-chunked", nil].randomElement(using: &random)!
      }
    case .dates: varyDates(&random)
    case .backends:
      for item in files.indices {
        let mirror = Int.random(in: 0..<sources[item].count, using: &random)
        var other = otherVersion(item, &random)
        other.modified = files[item].current.modified - 40_000
        sources[item][mirror].otherVersion = other
        sources[item][mirror].otherVersionShare = 0.5
      }
    case .pieces:
      for item in files.indices where files[item].current.length > 0 && Int.random(in: 0..<3, using: &random) > 0 {
        files[item].pieceLength = [64 << 10, 300_000, 1 << 20].randomElement(using: &random)!
      }
    }
  }

  private mutating func varySources(
    _ random: inout SeededGenerator, _ change: (inout Behaviour, inout SeededGenerator) -> Void
  ) {
    for item in sources.indices {
      for mirror in sources[item].indices where Int.random(in: 0..<3, using: &random) > 0 {
        change(&sources[item][mirror], &random)
      }
    }
  }

  private static func refusals(_ random: inout SeededGenerator) -> [Behaviour.Refusal] {
    (0..<Int.random(in: 1...2, using: &random)).map { _ in
      let status = [400, 401, 403, 404, 410, 416, 429, 500, 501, 503].randomElement(using: &random)!
      return Behaviour.Refusal(
        kind: Behaviour.Refusal.Kind.allCases.randomElement(using: &random)!,
        servedCount: [0, 1, 1, 2, 3, 6].randomElement(using: &random)!,
        refusedCount: [1, 2, .max, .max].randomElement(using: &random)!, status: status,
        retryAfter: [403, 429, 503].contains(status) && Bool.random(using: &random)
          ? Int.random(in: 1...3, using: &random) : nil)
    }
  }

  private static func redirect(_ random: inout SeededGenerator) -> Behaviour.Redirect {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .absent
    case 1: .waiting(seconds: Int.random(in: 1...3, using: &random), count: Int.random(in: 1...6, using: &random))
    case 2, 3: .serving(count: Int.random(in: 1...4, using: &random))
    case 4: .chain(Int.random(in: 1...3, using: &random))
    default: .expiring(.milliseconds(Int64.random(in: 300...3000, using: &random)))
    }
  }

  private mutating func varyMirrors(_ random: inout SeededGenerator) {
    let isClamped = Int.random(in: 0..<3, using: &random) == 0
    for item in files.indices {
      for mirror in sources[item].indices {
        var source = sources[item][mirror]
        source.hasOwnTags = Bool.random(using: &random)
        source.tags = [.strong, .strong, .strong, .none, .weak].randomElement(using: &random)!
        source.tellsDate = Int.random(in: 0..<4, using: &random) > 0
        source.fixedDate = isClamped ? 315_532_800 : nil
        if mirror > 0, Bool.random(using: &random) {
          source.status = nil
          var other = files[item].current
          other.number += 900 + mirror
          source.otherVersion = other
        }
        sources[item][mirror] = source
      }
    }
  }

  private mutating func varyDates(_ random: inout SeededGenerator) {
    for item in files.indices {
      files[item].datesGoBack = Bool.random(using: &random)
      files[item].keepsDateOnChange = Bool.random(using: &random)
    }
    varySources(&random) { source, random in
      source.tellsDate = true
      source.tagGaps = [0, 0, 0.3, 1].randomElement(using: &random)!
      source.dateGaps = [0, 0, 0.3, 1].randomElement(using: &random)!
      source.fixedDate = [nil, nil, 0, 315_532_800, SimulatedDownload.unixStart].randomElement(using: &random)!
      source.tellsTime = Int.random(in: 0..<4, using: &random) > 0
    }
  }

  /// No client can tell two versions apart that one mirror serves with the same length and date, unless all answers have
  /// strong tags that the host never makes doubtful. Such versions get other dates.
  private mutating func makeVersionsTellable() {
    for item in files.indices {
      for mirror in sources[item].indices {
        let source = sources[item][mirror]
        let hasVersions = !files[item].changes.isEmpty || source.otherVersionShare < 1
        guard hasVersions, source.fixedDate != nil || files[item].keepsDateOnChange else { continue }
        let areTagsSure = source.tags == .strong && source.tagGaps == 0 && source.framing == .length && isOneByOne
        if areTagsSure, source.otherVersionShare >= 1 { continue }
        sources[item][mirror].fixedDate = nil
        files[item].keepsDateOnChange = false
      }
    }
  }

  /// Whether no host sends former tags again, or a new one with each answer.
  private var isOneByOne: Bool {
    !dimensions.contains(.sharedHost) && files.allSatisfy { $0.changes.count < 2 && $0.changes != [.everyRequest] }
      && sources.allSatisfy { $0.allSatisfy { $0.tags != .rotating && $0.otherVersionShare >= 1 } }
  }
}
