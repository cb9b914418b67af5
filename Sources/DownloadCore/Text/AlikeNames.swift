/// Finds names that some file system may take for one: letters of either case, the ways to write an accented letter,
/// and, as on FAT, dots and blanks at the end.
///
/// Names with equal hashes need not be one; the file system has to be asked.
package enum AlikeNames {
  /// The hash of a path, which is equal for alike ones. The same within a process only.
  package static func hash(_ path: UnsafeRawBufferPointer, continuing seed: UInt64) -> UInt64 {
    var hash = seed
    // Dots and blanks whose component may end here.
    var pending = path.startIndex
    for index in path.indices {
      let byte = path[index]
      if byte >= 0x80 { return hashOfText(path, continuing: seed) }
      if byte == dot || byte == blank { continue }
      if byte != slash {
        hash = StableHash.fnv1a(UnsafeRawBufferPointer(rebasing: path[pending..<index]), continuing: hash)
      }
      hash = step(hash, byte.lowercased)
      pending = index + 1
    }
    return hash
  }

  package static func hash(_ path: [UInt8], continuing seed: UInt64) -> UInt64 {
    path.withUnsafeBytes { hash($0, continuing: seed) }
  }

  /// The name with letters of the other case; nil if it has none of ASCII.
  package static func swappingCase(_ name: [UInt8]) -> [UInt8]? {
    let other = name.map { $0.isLetter ? $0 ^ 0x20 : $0 }
    return other == name ? nil : other
  }

  private static func hashOfText(_ path: UnsafeRawBufferPointer, continuing seed: UInt64) -> UInt64 {
    // Some letters have an upper case of two letters, others share theirs, be it with one of ASCII.
    var text = String(decoding: path, as: UTF8.self).uppercased().lowercased()
    let plain = text.withUTF8 { bytes in
      bytes.contains { $0 >= 0x80 } ? nil : hash(UnsafeRawBufferPointer(bytes), continuing: seed)
    }
    if let plain { return plain }
    // Strings are hashed without regard to how their characters are composed.
    var hasher = Hasher()
    hasher.combine(seed)
    for component in text.split(separator: "/", omittingEmptySubsequences: false) {
      var name = component
      while name.last == "." || name.last == " " { name.removeLast() }
      hasher.combine(name)
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }

  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")
  private static let blank = UInt8(ascii: " ")
}
