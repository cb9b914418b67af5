internal import DownloadCore

/// Quotes parts of lists in messages.
enum Quotation {
  /// Quoted bytes of a longer text.
  private static let byteCount = 40

  /// The bytes in quotes, redacted and cut. Bytes that are not printable ASCII become `?`.
  static func text(_ text: [UInt8]) -> String {
    var rest = Redaction.line(text)[...]
    var shown: [UInt8] = []
    while let byte = rest.first, shown.count < byteCount {
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
