/// Text before the first checksum of a checksum file, as in `CHECKSUMS.md5` of Slackware.
///
/// Lines of it are passed over, so that nothing may be taken for text which might be a damaged checksum, a URL or markup.
package enum ChecksumPreamble {
  static let maximumLineCount = 200

  /// A word of so many letters and digits, of which some are digits, may be a damaged digest.
  private static let digestByteCount = 16
  private static let digestDigitCount = 4

  /// The number of lines before the first checksum; 0 where there is no such text.
  ///
  /// At least half of the lines from the first checksum on must be checksums, as far as they are known.
  ///
  /// - Parameter beginning: of the list.
  package static func lineCount(in beginning: some Collection<UInt8>) -> Int {
    let bytes = ListBeginning.bytes(of: beginning)
    var armour = PGPArmour()
    var lineCount = 0
    var textCount = 0
    var counts = (entries: 0, others: 0)
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      if counts.entries == 0 { lineCount += 1 }
      guard let text = try? armour.text(of: line.last == 0x0d ? line.dropLast() : line) else { continue }
      guard let first = text.trimmed.first, first != UInt8(ascii: "#") else { continue }
      if ChecksumLine.isNamed(text) || PublishedLine.isOne(text) {
        if textCount == 0 { return 0 }
        counts.entries += 1
      } else if counts.entries > 0 {
        counts.others += 1
      } else {
        textCount += 1
        guard textCount <= maximumLineCount, isText(text) else { return 0 }
      }
    }
    return counts.entries > 0 && counts.entries >= counts.others ? lineCount - 1 : 0
  }

  private static func isText(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.trimmed
    if text.first == UInt8(ascii: "<") || URLScheme.begins(text) || ChecksumLine.isOne(text) { return false }
    if text.contains(where: { $0.isControl && !$0.isSpace }) { return false }
    return !text.split(whereSeparator: \.isSpace).contains(where: mayBeDigest)
  }

  private static func mayBeDigest(_ word: ArraySlice<UInt8>) -> Bool {
    word.split { !$0.isLetter && !$0.isDigit && $0 != UInt8(ascii: "+") }.contains {
      $0.count >= digestByteCount && $0.count(where: \.isDigit) >= digestDigitCount
    }
  }
}
