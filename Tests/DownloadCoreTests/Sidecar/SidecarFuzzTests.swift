import TestSupport
import Testing

@testable import DownloadCore

/// No sidecar, attribute or name traps, and accepted records are complete and consistent.
@Suite struct `Sidecars with random input` {
  private static let alphabet = Array("0123456789-, :%=\nabcdef\"/.\0".utf8)

  @Test func `an accepted text is consistent and is written unchanged`() {
    let samples = [fullRecord(), fullRecord(end: 301)].map {
      Array(SidecarCoding.encode($0, capacity: SidecarSlot.capacity))
    }
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(samples.randomElement(using: &generator)!, alphabet: Self.alphabet)
      guard let record = SidecarCoding.decode(bytes[...]) else { return false }
      let whole = 0..<(record.completeLength ?? .max)
      for source in record.sources {
        #expect(record.mirrors.indices.contains(source.mirror), "seed \(seed)")
        #expect(0 <= source.range.lowerBound && source.range.upperBound <= whole.upperBound, "seed \(seed)")
      }
      #expect(record.written.ranges.allSatisfy { whole.contains($0.lowerBound) }, "seed \(seed)")
      #expect(record.written.ranges.allSatisfy { $0.upperBound <= whole.upperBound }, "seed \(seed)")
      #expect(record.synced.ranges.allSatisfy(record.written.contains), "seed \(seed)")
      #expect(record.digests.allSatisfy { $0.bytes.count == $0.algorithm.byteCount }, "seed \(seed)")
      // The first encoding drops oversized fields. Later ones change nothing.
      let text = SidecarCoding.encode(record, capacity: SidecarSlot.capacity)
      let again = SidecarCoding.decode(text[...])
      #expect(again?.written == record.written && again?.synced == record.synced, "seed \(seed)")
      #expect(again.map { SidecarCoding.encode($0, capacity: SidecarSlot.capacity) } == text, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }

  /// In about one slot of 50 the damage is after the payload, where it has no effect.
  @Test func `an accepted slot equals the written one`() {
    let records = [fullRecord(sequence: 7), fullRecord(sequence: 8, end: 301)]
    let slots = records.map { SidecarSlot.encode($0, isSynced: true) }
    let isFruitful = Fuzz.run { generator, seed in
      let index = Int.random(in: slots.indices, using: &generator)
      var bytes = slots[index]
      let isTail = Int.random(in: 0..<50, using: &generator) == 0
      if isTail {
        bytes += generator.mutate(Self.alphabet, alphabet: Self.alphabet)
      } else {
        bytes = generator.mutate(bytes, alphabet: [0, 1, 2, 0xff, 0x53, 0x30])
      }
      guard case .record(let record, let isSynced) = SidecarSlot.decode(bytes[...]) else {
        #expect(!isTail, "seed \(seed)")
        return false
      }
      #expect(record == records[index] && isSynced, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }

  @Test func `an accepted mark is written unchanged`() {
    let hex = String(repeating: "0123456789abcdef", count: 4)
    let texts = [
      "sha256:\(hex) 1234 1700000000.000000001 1760000000 0123456789abcdef",
      "whole-transfer:- 0 -5.999999999 0 ffffffffffffffff",
      "md5:0123456789abcdef0123456789abcdef 9223372036854775807 0.000000000 9223372036854775807",
    ]
    let compact = VerifiedMark(
      digest: ContentDigest(.sha256, repeating: 1), size: 5, modified: FileTime(seconds: 9), writtenAt: 9, url: .hash(1)
    )
    let samples = texts.map { Array($0.utf8) } + [compact.bytes]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(samples.randomElement(using: &generator)!, alphabet: Self.alphabet)
      guard let mark = VerifiedMark(bytes: bytes) else { return false }
      #expect(VerifiedMark(bytes: mark.bytes) == mark, "seed \(seed)")
      #expect(mark.size >= 0 && (0..<1_000_000_000).contains(mark.modified.nanoseconds), "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }

  @Test func `an accepted name stays in its directory`() {
    let samples = ["a/b/c", "/pub/../%2e%2e%2fetc", "./x//y.tar.gz", "%00%0a", "..", "dir/n\u{e9}.swiftget"]
    let alphabet = Array("/.%2e0faF\\~-\0\n\u{7f}".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: alphabet)
      let ofURL = TargetName.fromURLPath(String(decoding: bytes, as: UTF8.self))
      #expect(!ofURL.isEmpty && !ofURL.contains { $0 == 0x2f || $0 < 0x20 || $0 == 0x7f }, "seed \(seed)")
      #expect(ofURL != Array(".".utf8) && ofURL != Array("..".utf8), "seed \(seed)")
      guard let components = try? TargetName.checked(bytes) else { return false }
      #expect(!components.isEmpty, "seed \(seed)")
      for component in components {
        #expect((1...TargetName.maximumByteCount).contains(component.count), "seed \(seed)")
        #expect(component != Array(".".utf8) && component != Array("..".utf8), "seed \(seed)")
        #expect(!component.contains { $0 == 0x2f || $0 < 0x20 || $0 == 0x7f }, "seed \(seed)")
      }
      return true
    }
    #expect(isFruitful)
  }
}
