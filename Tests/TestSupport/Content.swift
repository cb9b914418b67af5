import Glibc

/// The bytes of one version of a served file. Generated contents are not held in memory.
package enum Content: Sendable, Equatable {
  case bytes([UInt8])
  /// Pseudo-random bytes that depend on the seed. All 4 KiB pages of a file differ, so that a misplaced range is
  /// detected.
  case generated(seed: UInt64, byteCount: Int64)

  package static func text(_ text: String) -> Content { .bytes(Array(text.utf8)) }

  package var byteCount: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .generated(_, let byteCount): byteCount
    }
  }

  /// The bytes of a range, clamped to the content.
  package func bytes(in range: Range<Int64>) -> [UInt8] {
    let range = range.clamped(to: 0..<byteCount)
    switch self {
    case .bytes(let bytes): return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    case .generated(let seed, _): return generatedBytes(seed: seed, range: range)
    }
  }

  /// All bytes, for contents that fit in memory.
  package var allBytes: [UInt8] { bytes(in: 0..<byteCount) }

  /// The opaque part of a strong ETag, without quotes. Equal contents have equal tags.
  package var tag: String {
    switch self {
    case .bytes(let bytes):
      let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return "b\(String(hash, radix: 16))-\(bytes.count)"
    case .generated(let seed, let byteCount): return "g\(String(seed, radix: 16))-\(byteCount)"
    }
  }

  /// Writes the content to a new file or over an existing one.
  package func write(to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TestSupportError.systemCall("open \(path)", errno) }
    defer { close(descriptor) }
    for start in stride(from: 0, to: byteCount, by: pieceLength) {
      let piece = bytes(in: start..<min(start + Int64(pieceLength), byteCount))
      guard Glibc.write(descriptor, piece, piece.count) == piece.count else {
        throw TestSupportError.systemCall("write \(path)", errno)
      }
    }
  }

  /// The offset of the first difference between a file and this content, including its length; nil if they are equal.
  ///
  /// - Throws: if the file does not exist.
  package func firstDifference(inFile path: String) throws -> Int64? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TestSupportError.systemCall("open \(path)", errno) }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: pieceLength)
    var position: Int64 = 0
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw TestSupportError.systemCall("read \(path)", errno) }
      if count == 0 { return position == byteCount ? nil : position }
      let expected = bytes(in: position..<position + Int64(count))
      if expected.count < count || memcmp(expected, buffer, count) != 0 {
        let same = zip(expected, buffer).prefix { $0 == $1 }.count
        return position + Int64(same)
      }
      position += Int64(count)
    }
  }

  /// The digest in lower-case hexadecimal by the `openssl` command, independent of the program.
  ///
  /// - Parameter algorithm: as `openssl dgst` names it: `sha256`, `md5`, `sha3-256`, `blake2b512` ...
  package func hexDigest(_ algorithm: String = "sha256") throws -> String {
    let directory = try TemporaryDirectory()
    let path = directory.path("content")
    try write(to: path)
    let result = try runProgram("/usr/bin/openssl", ["dgst", "-\(algorithm)", "-r", path])
    guard result.status == 0, let word = result.outputText.split(separator: " ").first else {
      throw TestSupportError("openssl dgst -\(algorithm): \(result.errorText)")
    }
    return String(word)
  }
}

private let pieceLength = 256 * 1024
private let pageLength = 4096
/// One random block per seed, which is copied repeatedly: generating every word is slow in a debug build.
private let blocks = Locked<[UInt64: [UInt64]]>([:])

private func block(seed: UInt64) -> [UInt64] {
  blocks.withLock { blocks in
    if let block = blocks[seed] { return block }
    var state = seed
    let block = (0..<pieceLength / 8).map { _ -> UInt64 in
      state &+= 0x9e37_79b9_7f4a_7c15
      return mixed(state)
    }
    blocks[seed] = block
    return block
  }
}

/// The output function of SplitMix64.
private func mixed(_ value: UInt64) -> UInt64 {
  var word = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
  word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
  return word ^ (word >> 31)
}

private func generatedBytes(seed: UInt64, range: Range<Int64>) -> [UInt8] {
  // Swift sets the count of the one empty array, which ThreadSanitizer reports.
  if range.isEmpty { return [] }
  let block = block(seed: seed)
  let length = Int64(pageLength)
  return [UInt8](unsafeUninitializedCapacity: range.count) { target, count in
    block.withUnsafeBytes { source in
      var position = range.lowerBound
      while position < range.upperBound {
        let page = position / length
        let offset = Int(position % length)
        let taken = min(pageLength - offset, Int(range.upperBound - position))
        let start = target.baseAddress! + Int(position - range.lowerBound)
        let inBlock = Int(page % Int64(pieceLength / pageLength)) * pageLength + offset
        memcpy(start, source.baseAddress! + inBlock, taken)
        // Each page begins with a hash of its number.
        let stamp = mixed(seed ^ UInt64(page))
        for index in offset..<max(offset, min(8, offset + taken)) {
          start[index - offset] = UInt8(truncatingIfNeeded: stamp >> UInt64(8 * index))
        }
        position += Int64(taken)
      }
    }
    count = range.count
  }
}
