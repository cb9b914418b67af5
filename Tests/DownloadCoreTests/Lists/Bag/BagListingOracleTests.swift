import TestSupport
import Testing

@testable import DownloadCore

/// What manifests list, in dictionaries.
private struct ListedNames {
  struct Row: Equatable {
    let line: Int
    let digest: ContentDigest?
  }

  var names: [BagManifestName] = []
  /// In the order in which they came.
  var keys: [[UInt8]] = []
  var rows: [[[UInt8]: Row]] = []
  var keepsPercents = false

  mutating func add(_ line: BagManifestLine, allowsRepeats: Bool) -> BagProblem? {
    let key = line.path.key
    if line.path.hasBarePercent { keepsPercents = true }
    if !keys.contains(key) { keys.append(key) }
    guard let known = rows[rows.count - 1][key] else {
      rows[rows.count - 1][key] = Row(line: line.lineNumber, digest: line.digest)
      return nil
    }
    if known.digest != line.digest { return .contradictoryDigests(key, line: known.line) }
    return allowsRepeats ? nil : .repeatedName(key, line: known.line)
  }

  func name(_ key: [UInt8], exists: ([UInt8]) -> Bool) -> [UInt8] {
    let decoded = BagPath.decodingPercents(key)
    if keepsPercents || decoded == key { return key }
    if keys.contains(BagPath.encodingPercents(key)) { return decoded }
    return exists(key) && !exists(decoded) ? key : decoded
  }
}

@Suite struct `A listing of a random bag` {
  private static let manifests = ["md5", "sha256", "tiger", "sha512"].map { BagText.name("manifest-\($0).txt") }

  /// A name of few, of which some are each other's names with percent signs encoded.
  private static func path(_ random: inout SeededGenerator, _ nameCount: Int, hasBare: Bool) throws -> BagPath {
    let endings = ["", "", "", "%25", "%2525", "%0A"] + (hasBare ? ["%"] : [])
    let name = "data/\(Int.random(in: 0..<nameCount, using: &random))\(endings.randomElement(using: &random)!)"
    return try BagPath(Array(name.utf8)[...], in: .payload)
  }

  private static func digest(_ algorithm: DigestAlgorithm?, of key: [UInt8], _ random: inout SeededGenerator)
    -> ContentDigest?
  {
    algorithm.flatMap { algorithm in
      let isWrong = Int.random(in: 0..<20, using: &random) == 0
      return ContentDigest(
        algorithm, (0..<algorithm.byteCount).map { key[$0 % key.count] &+ UInt8($0) &+ (isWrong ? 1 : 0) })
    }
  }

  @Test func `says the same as dictionaries`() throws {
    for seed in 0..<24 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let listing = BagListing()
      var expected = ListedNames()
      let nameCount = [3, 40, 300].randomElement(using: &random)!
      let allowsRepeats = Bool.random(using: &random)
      let hasBare = Int.random(in: 0..<3, using: &random) == 0
      for manifest in Self.manifests.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
        listing.begin(manifest)
        expected.names.append(manifest)
        expected.rows.append([:])
        for line in 1...(nameCount * 2) where Int.random(in: 0..<9, using: &random) > 0 {
          let path = try Self.path(&random, nameCount, hasBare: hasBare)
          let digest = Self.digest(manifest.algorithm, of: path.key, &random)
          let element = BagManifestLine(lineNumber: line, path: path, digest: digest)
          var problem: BagProblem?
          do throws(BagProblem) { try listing.add(element, allowsRepeats: allowsRepeats) } catch { problem = error }
          #expect(problem == expected.add(element, allowsRepeats: allowsRepeats), "seed \(seed)")
        }
      }
      let existing = Set(expected.keys.filter { _ in Bool.random(using: &random) })
      expect(listing, toSay: expected, existing, &random, "seed \(seed)")
    }
  }

  private func expect(
    _ listing: BagListing, toSay expected: ListedNames, _ existing: Set<[UInt8]>, _ random: inout SeededGenerator,
    _ comment: Comment
  ) {
    #expect(listing.count == expected.keys.count && listing.manifests == expected.names, comment)
    #expect(listing.isUniform == expected.rows.allSatisfy { $0.count == expected.keys.count }, comment)
    for (index, key) in expected.keys.enumerated().shuffled(using: &random) {
      let name = expected.name(key) { existing.contains($0) }
      #expect(listing.name(at: index) { existing.contains($0) } == name, comment)
      #expect(listing.index(ofFile: name) { existing.contains($0) } == index, comment)
      let rows = expected.rows.map { $0[key] }
      #expect(listing.digests(at: index) == rows.compactMap { $0?.digest }, comment)
      #expect(listing.manifestWithout(index) == rows.firstIndex(of: nil).map { expected.names[$0] }, comment)
      let first = rows.firstIndex { $0 != nil }!
      #expect(
        listing.place(of: index) == .init(manifest: expected.names[first].name, line: rows[first]!.line), comment)
    }
    for number in 0..<50 { #expect(listing.index(ofFile: Array("data/none\(number)".utf8)) { _ in true } == nil) }
  }

  @Test func `with stores that fail says something, and ends`() throws {
    for callCount in 0..<40 {
      var random = SeededGenerator(seed: UInt64(callCount))
      let listing = BagListing { FailingBytes(after: callCount) }
      for manifest in Self.manifests {
        listing.begin(manifest)
        for line in 1...300 {
          let path = try Self.path(&random, 300, hasBare: false)
          let digest = Self.digest(manifest.algorithm, of: path.key, &random)
          try? listing.add(
            BagManifestLine(lineNumber: line, path: path, digest: digest), allowsRepeats: true)
        }
      }
      for index in 0..<listing.count {
        _ = (listing.name(at: index) { _ in true }, listing.digests(at: index), listing.place(of: index))
        _ = listing.manifestWithout(index)
      }
    }
  }
}
