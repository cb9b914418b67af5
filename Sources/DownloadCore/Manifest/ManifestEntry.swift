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

/// What is wrong with a line, before its number is known, or with a URL of the command line.
package struct ManifestFault: Error {
  package let reason: String
  package let hint: String?

  init(_ reason: String, hint: String? = nil) {
    self.reason = reason
    self.hint = hint
  }
}

extension ArraySlice<UInt8> {
  /// In quotes and redacted, cut after 40 bytes; bytes that are not printable ASCII become `?`.
  var quotedForMessage: String {
    var rest = Redaction.line(self)[...]
    var shown: [UInt8] = []
    while let byte = rest.first, shown.count < 40 {
      if rest.starts(with: Redaction.ellipsis) {
        shown += Redaction.ellipsis
        rest = rest.dropFirst(Redaction.ellipsis.count)
      } else {
        shown.append(byte < 0x20 || byte > 0x7e ? UInt8(ascii: "?") : byte)
        rest = rest.dropFirst()
      }
    }
    return "'" + String(decoding: shown, as: UTF8.self) + (rest.isEmpty ? "" : "…") + "'"
  }
}
