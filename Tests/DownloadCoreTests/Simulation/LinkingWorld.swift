import DownloadCore
import TestSupport

/// Servers that name further mirrors, some of which are dead, lie or have another version.
///
/// They are the last of an item's mirrors. The request does not have them, so whether a file can be had and which content
/// is right never depends on them.
extension SimulatedWorld {
  /// - Parameter draw: the world without them.
  static func linking(
    _ random: inout SeededGenerator, _ draw: (inout SeededGenerator) -> SimulatedWorld = SimulatedWorld.init
  ) -> SimulatedWorld {
    var world = draw(&random)
    let namedCount = world.hosts.count / 2
    world.linkedCount = Int.random(in: 1...4, using: &random)
    let targets = world.hosts[namedCount...]
    world.hosts.removeLast(targets.count)
    world.hosts += (0..<world.linkedCount).map { _ in world.linkedHost(&random) }
    world.hosts += targets + (0..<world.linkedCount).map { _ in Host() }
    for item in world.files.indices {
      let claims: [DigestAlgorithm] = [[], [.md5], [.sha256], [.sha256], [.md5, .sha512]].randomElement(using: &random)!
      for mirror in 0..<namedCount { world.sources[item][mirror].claims = claims }
      for mirror in namedCount..<namedCount + world.linkedCount {
        world.sources[item].append(world.linkedBehaviour(item, &random))
        let port = world.locations[item][0].port + UInt16(mirror)
        world.locations[item].append(
          Location(scheme: .https, host: "host.example", port: port, path: "/\(item)/\(mirror)", query: nil))
      }
    }
    return world
  }

  private func linkedHost(_ random: inout SeededGenerator) -> Host {
    var host = Host()
    host.roundTrip = .milliseconds([1, 20, 100].randomElement(using: &random)!)
    host.connectionRate = [1e5, 1e6, 4e6].randomElement(using: &random)!
    host.totalRate = host.connectionRate * 3
    host.isDead = Int.random(in: 0..<5, using: &random) == 0
    return host
  }

  private func linkedBehaviour(_ item: Int, _ random: inout SeededGenerator) -> Behaviour {
    var source = Behaviour()
    func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    source.tags = [.strong, .weak, .none].randomElement(using: &random)!
    source.tellsDate = !one(in: 3)
    source.servesRanges = !one(in: 6)
    if one(in: 5) { source.framing = [.chunked, .closeDelimited].randomElement(using: &random)! }
    if one(in: 4) { source.claims = [.sha256] }
    if one(in: 6) { source.redirect = [.chain(2), .loop].randomElement(using: &random)! }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: source.status = [403, 404, 429, 503].randomElement(using: &random)!
    case 1:
      let file = files[item].current
      source.otherVersion = SimulatedFile.Version(
        number: file.number + 900, length: one(in: 3) ? file.length + 5000 : file.length, modified: file.modified)
    case 2:
      source.lies = [Behaviour.Lie.allCases.randomElement(using: &random)!, .undetectableVersion]
      source.lieProbability = [0.3, 1].randomElement(using: &random)!
    case 3: source.drawsHeads = true
    default: break
    }
    return source
  }

  /// The mirrors of the request.
  func named(_ item: Int) -> Range<Int> { 0..<sources[item].count - linkedCount }
}

extension SimulatedDownload {
  /// What an answer of a mirror names. What a linked mirror names must never be used.
  func linkedMirrors(namedBy mirror: Int, of item: Int) -> [LinkedMirror] {
    let named = world.named(item)
    if world.linkedCount == 0 { return [] }
    guard named.contains(mirror) else {
      return [LinkedMirror(Location(scheme: .https, host: "evil.example", port: 443, path: "/", query: nil))]
    }
    return world.locations[item][named.upperBound...].enumerated().map { LinkedMirror($1, priority: $0 + 1) }
  }

  func mirrorsJoin(_ item: Int, _ locations: [Location]) {
    note("join \(item) \(locations.count)")
    if locations != Array(world.locations[item][world.named(item).upperBound...]) {
      problem("item \(item) is joined by \(locations)")
    }
  }

  /// A linked mirror is asked for ranges only, and only while a strong digest judges the content.
  func checkLinked(_ order: TransferOrder) {
    guard !world.named(number(of: order)).contains(order.mirror) else { return }
    let known = items[number(of: order)].judges.union(givenDigests(number(of: order)))
    if !known.contains(where: { $0.algorithm != .md5 && $0.algorithm != .sha1 }) {
      problem("item \(number(of: order)) asks a linked mirror without a strong digest")
    }
    guard case .range = order.asked else {
      return problem("item \(number(of: order)) asks a linked mirror for \(order.asked)")
    }
  }
}
