/// What the file name of a list tells about its content.
package struct ListName: Hashable, Sendable {
  private let name: [UInt8]
  /// The algorithm of digests whose length is that of several ones (`B2SUMS`).
  package let algorithm: DigestAlgorithm?

  /// - Parameters:
  ///   - path: of the list, or of its URL.
  ///   - suffix: the end of the name that tells how the list is compressed, with its dot.
  package init(path: [UInt8], suffix: String? = nil) {
    let name = path.split(separator: UInt8(ascii: "/")).last ?? []
    let count = suffix?.utf8.count ?? 0
    let isSuffixed = count > 0 && name.suffix(count).loweredPrintable == suffix
    self.name = Array(isSuffixed ? name.dropLast(count) : name)
    algorithm = Self.algorithm(in: self.name)
  }

  private static func algorithm(in name: [UInt8]) -> DigestAlgorithm? {
    let text = name[...].loweredPrintable
    if text.contains("blake2s") { return .blake2s }
    if text.contains("b2sum") || text.contains("blake2") { return .blake2b }
    let sha3: [DigestAlgorithm] = [.sha3_224, .sha3_256, .sha3_384, .sha3_512]
    let dashed = String(text.map { $0 == "_" ? "-" : $0 })
    return sha3.first { dashed.contains($0.rawValue) }
  }

  /// The file of a bare digest: the list's name without `.sha256`, `.md5sum` or the like; nil for other names.
  package var bareName: [UInt8]? {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return nil }
    var suffix = name[(dot + 1)...].loweredPrintable
    if suffix.hasSuffix("sum") { suffix.removeLast(3) }
    guard suffix == "b2" || DigestAlgorithm(name: suffix) != nil else { return nil }
    return Array(name[..<dot])
  }
}
