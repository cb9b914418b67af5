internal import DownloadCore

/// Writes the lines of coreutils' checksum tools, one for each digest.
///
/// In a name with a backslash, LF or CR these are written as `\\`, `\n` and `\r`, and a backslash begins the line.
package struct ChecksumListWriter: ManifestWriter {
  /// Whether lines name their algorithm: `SHA256 (NAME) = HEX`.
  private let isTagged: Bool

  package init(isTagged: Bool) { self.isTagged = isTagged }

  package var beginning: [UInt8] { [] }
  package var end: [UInt8] { [] }

  package func append(_ file: HashedFile, to text: inout [UInt8]) {
    let name = Self.escaped(file.name)
    for digest in file.digests {
      if name.count != file.name.count { text.append(UInt8(ascii: "\\")) }
      if isTagged {
        text += Self.tag(of: digest.algorithm).utf8
        text += " (".utf8
        text += name
        text += ") = ".utf8
        text += digest.hex.utf8
      } else {
        text += digest.hex.utf8
        text += "  ".utf8
        text += name
      }
      text.append(UInt8(ascii: "\n"))
    }
  }

  private static func escaped(_ name: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.append(name) { byte in
      switch byte {
      case UInt8(ascii: "\\"): "\\\\"
      case 0x0a: "\\n"
      case 0x0d: "\\r"
      default: nil
      }
    }
    return escaped
  }

  /// The names that coreutils prints with `--tag`; for SHA-3 and BLAKE2s those of BSD systems and openssl-dgst(1).
  private static func tag(of algorithm: DigestAlgorithm) -> String {
    let name = algorithm.rawValue
    return name.hasPrefix("blake2") ? "BLAKE2\(name.suffix(1))" : name.uppercased()
  }
}
