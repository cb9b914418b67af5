import TestSupport
import Testing

@testable import DownloadCompression

/// No bytes trap or go on without end, and how they are given in parts changes nothing.
@Suite struct `Compressed data with random bytes` {
  private static let contents: [[UInt8]] = [
    [], Array("https://example.org/a\n".utf8), (0..<200).flatMap { Array("\($0 % 17) x\n".utf8) },
  ]
  private static let samples = Compressor.allCases.map { compressor in
    contents.map { compressor.compressed($0) } + [contents.flatMap { compressor.compressed($0) }]
  }
  /// More than any sample becomes by a few mutations, but for those of lengths.
  private static let most = 1 << 20

  @Test(arguments: Compressor.allCases)
  func `is the same in any parts`(compressor: Compressor) {
    let samples = Self.samples[Compressor.allCases.firstIndex(of: compressor)!]
    var errors: Set<DecompressionError> = []
    let isFruitful = Fuzz.run { generator, seed in
      var bytes = samples.randomElement(using: &generator)!
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: break
      case 1: bytes = Array(bytes.prefix(6)) + (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
      default: bytes = generator.mutate(bytes, alphabet: [0, 1, 0x1f, 0x8b, 0xff])
      }
      let splits = (0..<4).map { _ in Int.random(in: 1...max(1, bytes.count), using: &generator) }
      let room = Int.random(in: 1...600, using: &generator)
      let whole = Decompressed(compressor.format, bytes, most: Self.most)
      let parts = Decompressed(compressor.format, bytes, splits: splits, room: room, most: Self.most)
      if whole.content.count < Self.most {
        #expect(whole.error == parts.error, "seed \(seed)")
        // What comes out before an error depends on the parts.
        #expect(
          whole.error == nil ? whole.content == parts.content : true, "seed \(seed)")
      }
      if let error = whole.error { errors.insert(error) }
      return whole.error == nil
    }
    #expect(isFruitful && errors.isSuperset(of: [.truncated, .damaged]), "\(errors)")
  }
}
