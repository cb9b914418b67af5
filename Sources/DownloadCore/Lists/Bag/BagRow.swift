/// What a manifest of a bag says about a file, as it is stored.
struct BagRow: Hashable {
  /// Counted from 1.
  let line: Int
  /// Nil where the algorithm of the manifest is not known.
  let digest: ContentDigest?

  init(_ line: BagManifestLine) {
    self.line = line.lineNumber
    digest = line.digest
  }

  /// The number of bytes of a row of a manifest.
  static func byteCount(_ manifest: BagManifestName) -> Int {
    UInt32.byteCount + (manifest.algorithm?.byteCount ?? 0)
  }

  var bytes: [UInt8] { UInt32(clamping: line).bytes + (digest?.bytes ?? []) }

  /// Reads `bytes`; nil where they are zeros.
  init?(_ bytes: ArraySlice<UInt8>, _ manifest: BagManifestName) {
    line = Int(UInt32(in: bytes, at: bytes.startIndex))
    if line == 0 { return nil }
    digest = manifest.algorithm.flatMap { ContentDigest($0, Array(bytes.dropFirst(UInt32.byteCount))) }
  }
}
