/// One file of a list, before names are checked and URLs parsed.
///
/// A URL list gives `urls`. A checksum list gives `name`, or `urls` where the name is a URL.
package struct ManifestEntry: Hashable, Sendable {
  /// The entry's first line, counted from 1.
  package var lineNumber: Int
  /// The mirrors of the file in the list's order, as written but without fragments.
  package var urls: [[UInt8]] = []
  /// The file's name in a checksum list, unescaped, without leading `./`, unchecked.
  package var name: [UInt8]?
  /// aria2's `out=`: the target relative to `directory`, unchecked.
  package var out: [UInt8]?
  /// aria2's `dir=`.
  package var directory: [UInt8]?
  /// At most one per algorithm.
  package var digests: [ContentDigest] = []
  /// `Name: value` lines without control characters.
  package var headers: [[UInt8]] = []

  package init(lineNumber: Int) { self.lineNumber = lineNumber }
}

/// An invalid line.
package struct ManifestError: Error, Hashable, Sendable {
  /// Counted from 1.
  package var lineNumber: Int
  /// The message after `LIST:17: `. Quotations from the line are printable and cut.
  package var reason: String
  /// What the user can do.
  package var hint: String?

  package init(lineNumber: Int, reason: String, hint: String? = nil) {
    self.lineNumber = lineNumber
    self.reason = reason
    self.hint = hint
  }
}

/// An error in a line whose number is not known yet, or in a URL of the command line.
package struct ManifestFault: Error {
  package let reason: String
  package let hint: String?

  init(_ reason: String, hint: String? = nil) {
    self.reason = reason
    self.hint = hint
  }
}

extension ArraySlice<UInt8> {
  /// The bytes in quotes, redacted and cut after 40 bytes. Bytes that are not printable ASCII become `?`.
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
