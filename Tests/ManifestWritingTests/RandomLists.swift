import DownloadCore
import JSONLists
import ManifestWriting
import Metalink
import TestSupport

/// Texts of lists drawn from a seed, each in one of the ways in which its format can be written.
struct RandomLists {
  private let seed: UInt64
  private var generator: SeededGenerator
  private let algorithms: [DigestAlgorithm] = [.md5, .sha1, .sha256, .sha512]

  init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  private mutating func happens(_ oneIn: Int = 2) -> Bool { Int.random(in: 0..<oneIn, using: &generator) == 0 }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator)! }

  private mutating func name(isText: Bool) -> [UInt8] {
    while true {
      if let name = RandomNames(isText: isText, hasControls: false).next(&generator) { return name }
    }
  }

  private mutating func hex(_ algorithm: DigestAlgorithm) -> String {
    (0..<algorithm.byteCount * 2).map { _ in pick(["0", "7", "a", "F"]) }.joined()
  }

  private mutating func url() -> String {
    "http://" + pick(["h", "u:p@h", "i:81"]) + "/" + pick(["a", "%20/b", "c?d=e,f;g", "'"])
      + "\(Int.random(in: 0..<100, using: &generator))"
  }

  /// The lines with ends, blank lines, comments and perhaps a byte order mark among them.
  private mutating func list(_ entries: [[UInt8]], hasComments: Bool = true) -> [UInt8] {
    var text: [UInt8] = happens(4) ? [0xef, 0xbb, 0xbf] : []
    for entry in entries {
      if hasComments, happens(4) { text += Array("# c\n".utf8) }
      if happens(6) { text += Array("\n".utf8) }
      for line in entry.split(separator: 0x0a) { text += line + Array((happens(3) ? "\r\n" : "\n").utf8) }
    }
    if happens(4), !text.isEmpty { text.removeLast() }
    return text
  }

  private mutating func entries(_ one: (inout Self) -> [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for _ in 0..<Int.random(in: 1...8, using: &generator) { found.append(one(&self)) }
    return found
  }

  mutating func aria2() -> [UInt8] {
    list(
      entries { lists in
        var text = Array((lists.happens(8) ? "  " : "").utf8) + Array(lists.url().utf8)
        if lists.happens(4) { text += Array("\t\(lists.url())".utf8) }
        if lists.happens(3) { text += Array("#sha1=\(lists.hex(.sha1))".utf8) }
        if lists.happens() { text += Array("\n out= x".utf8) + lists.name(isText: false) }
        if lists.happens(4) { text += Array("\n\tdir=/d".utf8) }
        if lists.happens(4) { text += Array("\n # c\n split=3\n header=X: \"é\"".utf8) }
        if lists.happens(4) { text += Array("\n  checksum=sha-256=\(lists.hex(.sha256))".utf8) }
        return text
      })
  }

  mutating func checksums() -> [UInt8] {
    let isSigned = happens(3)
    let lines = entries { lists in
      let algorithm = lists.pick(lists.algorithms)
      let file = HashedFile(
        name: lists.happens(5) ? Array(lists.url().utf8) : lists.name(isText: false), length: 0,
        digests: [ContentDigest(algorithm, hex: lists.hex(algorithm).utf8.map { $0 })!])
      var line: [UInt8] = []
      ChecksumListWriter(isTagged: lists.happens()).append(file, to: &line)
      return (isSigned && lists.happens() ? Array("- ".utf8) : []) + line
    }
    let text = list(lines)
    guard isSigned else { return text }
    let mark = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    return Array("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n".utf8) + text[mark...]
      + Array("\n-----BEGIN PGP SIGNATURE-----\n\nx=\n-----END PGP SIGNATURE-----\n".utf8)
  }

  mutating func table() -> [UInt8] {
    let separator = pick([UInt8(ascii: ","), UInt8(ascii: ";"), 0x09])
    func row(_ fields: [[UInt8]], _ lists: inout Self) -> [UInt8] {
      var row: [UInt8] = []
      for (index, field) in fields.enumerated() {
        if index > 0 { row.append(separator) }
        let quote = UInt8(ascii: "\"")
        if field.contains(separator) || field.contains(quote) || lists.happens(4) {
          row += [quote] + field.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
        } else {
          row += field
        }
      }
      return row
    }
    let hasErrors = happens(3)
    let columns = ["url", "note", "out", "size", "sha256"] + (hasErrors ? ["error"] : [])
    let header = row(columns.map { Array($0.utf8) }, &self)
    let rows = entries { lists in
      let fields: [[UInt8]] = [
        Array(lists.url().utf8), lists.happens() ? Array("x\ny\"".utf8) : [],
        lists.happens() ? lists.name(isText: false) : [],
        Array((lists.happens() ? "12" : "").utf8), Array((lists.happens() ? lists.hex(.sha256) : "").utf8),
      ]
      return row(fields + (hasErrors ? [lists.happens() ? Array("old, \"one\"".utf8) : []] : []), &lists)
    }
    return list([header] + rows, hasComments: false)
  }

  mutating func pooch() -> [UInt8] {
    list(
      entries { lists in
        let name = lists.name(isText: false)
        let quoted = name.flatMap { [UInt8(ascii: "\\"), $0] }
        let hash = lists.happens() ? lists.hex(.sha256) : "md5:\(lists.hex(.md5))"
        return quoted + Array("  \(hash) ".utf8)
          + Array((lists.happens() ? "'\(lists.url())x\"" : "").utf8).filter { $0 != 0x22 && $0 != 0x27 }
      })
  }

  mutating func fetch() -> [UInt8] {
    list(
      entries { lists in
        let name = lists.name(isText: true).flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] }
        return Array("\(lists.url()) \(lists.happens() ? "-" : "12")\tdata/x%0A/".utf8) + name
      })
  }

  private mutating func object() -> [UInt8] {
    var text = Array("{\"url\": \(happens() ? "\"\(url())\"" : "[ \"\(url())\",\"\(url())\"]")".utf8)
    if happens(3) { text += Array(", \"x-error\":\"old \\\" } one\"".utf8) }
    if happens() {
      text += Array(",\"out\": \"".utf8)
      text += name(isText: true).flatMap { $0 == 0x22 || $0 == 0x5c ? [0x5c, $0] : [$0] }
      text += Array("\"".utf8)
    }
    if happens() { text += Array(", \"x-more\" : [{\"a\": \"}]\"}, 1] ".utf8) }
    if happens() { text += Array(",\"checksum\":{\"sha256\":\"\(hex(.sha256))\"},\"untrusted\":true".utf8) }
    return text + Array(" }".utf8)
  }

  mutating func jsonLines() -> [UInt8] { list(entries { $0.object() }, hasComments: false) }

  mutating func json() -> [UInt8] {
    let objects = entries { $0.object() }.map { $0 + Array((happens() ? "\n" : "").utf8) }
    let version = Array("\"version\": 1".utf8)
    let files = Array("\"files\" :[".utf8) + objects.joined(separator: Array(", ".utf8)) + Array("]".utf8)
    return Array("{ ".utf8) + (happens() ? version + [0x2c] + files : files + [0x2c] + version) + Array("}\n".utf8)
  }

  mutating func metalink() -> [UInt8] {
    let files = RandomFiles(seed: seed, algorithms: algorithms, isText: true, hasControls: false, hasPieces: true).files
      .filter { WrittenFormat.metalink.refusal(of: $0.name) == nil }
    let base = Location(scheme: .https, host: "h", port: 443, path: "/<&>'", query: nil)
    return text(MetalinkWriter(base: FileURLs(base: base)), files)
  }
}
