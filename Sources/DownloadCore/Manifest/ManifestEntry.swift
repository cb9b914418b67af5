/// One file that a list asks for, as the list says it: nothing is resolved or checked against the disk yet.
///
/// A URL list gives `urls`, a checksum list gives `name` (or, where a URL stands in the name's place, `urls`).
package struct ManifestEntry: Hashable, Sendable {
  /// Where it begins, counted from 1.
  package var lineNumber: Int
  /// As written, without fragments; mirrors of one file in the list's order.
  package var urls: [[UInt8]] = []
  /// The file's name in a checksum list, unescaped, without leading `./`; not yet a safe one.
  package var name: [UInt8]?
  /// aria2's `out=`: where to write, relative to `directory`; not yet a safe name.
  package var out: [UInt8]?
  /// aria2's `dir=`.
  package var directory: [UInt8]?
  /// At most one of each algorithm.
  package var digests: [ContentDigest] = []
  /// `Name: value` lines without control characters.
  package var headers: [[UInt8]] = []

  package init(lineNumber: Int) { self.lineNumber = lineNumber }

  /// False where a different digest of that algorithm is there already: the list contradicts itself.
  mutating func add(_ digest: ContentDigest) -> Bool {
    if let known = digests.first(where: { $0.algorithm == digest.algorithm }) { return known == digest }
    digests.append(digest)
    return true
  }
}

/// A line that cannot be understood.
package struct ManifestError: Error, Hashable, Sendable {
  /// Counted from 1.
  package var lineNumber: Int
  /// What is wrong, in words that follow `LIST:17: `; what it quotes from the line is cut and printable.
  package var reason: String
  /// What to try.
  package var hint: String?

  package init(lineNumber: Int, reason: String, hint: String? = nil) {
    self.lineNumber = lineNumber
    self.reason = reason
    self.hint = hint
  }
}

/// What is wrong with a line, before its number is known.
struct ManifestFault: Error {
  let reason: String
  let hint: String?

  init(_ reason: String, hint: String? = nil) {
    self.reason = reason
    self.hint = hint
  }
}

extension ArraySlice<UInt8> {
  /// In quotes, cut after 40 bytes; bytes that are not printable ASCII become `?`.
  ///
  /// It might be meant as a URL, so what comes before an `@` (credentials) and after a `?` (signatures) is left out.
  var quotedForMessage: String {
    let afterUserinfo = lastIndex(of: UInt8(ascii: "@")).map { self[($0 + 1)...] } ?? self
    let redacted = afterUserinfo.prefix(while: { $0 != UInt8(ascii: "?") }).prefix(40)
    let shown = redacted.map { $0 < 0x20 || $0 > 0x7e ? UInt8(ascii: "?") : $0 }
    let (front, back) = (afterUserinfo.startIndex > startIndex ? "…" : "", redacted.endIndex < endIndex ? "…" : "")
    return "'" + front + String(decoding: shown, as: UTF8.self) + back + "'"
  }
}
