/// The width of text on a terminal, in columns.
package enum DisplayWidth {
  /// The width of escaped text. Joined emoji count as two columns.
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  package static func of(_ character: Character) -> Int {
    min(2, character.unicodeScalars.reduce(0) { $0 + of($1) })
  }

  /// 0 for combining and invisible characters, 2 for East Asian wide characters and emoji (UAX #11), else 1.
  package static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if (0x1160...0x11ff).contains(scalar.value) { return 0 }  // Hangul vowels and finals join the consonant before
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23ec, 0x23f0...0x23f0, 0x23f3...0x23f3,
    0x25fd...0x25fe, 0x2614...0x2615, 0x2648...0x2653, 0x267f...0x267f, 0x2693...0x2693, 0x26a1...0x26a1,
    0x26aa...0x26ab, 0x26bd...0x26be, 0x26c4...0x26c5, 0x26ce...0x26ce, 0x26d4...0x26d4, 0x26ea...0x26ea,
    0x26f2...0x26f3, 0x26f5...0x26f5, 0x26fa...0x26fa, 0x26fd...0x26fd, 0x2705...0x2705, 0x270a...0x270b,
    0x2728...0x2728, 0x274c...0x274c, 0x274e...0x274e, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27b0...0x27b0, 0x27bf...0x27bf, 0x2b1b...0x2b1c, 0x2b50...0x2b50, 0x2b55...0x2b55, 0x2e80...0x303e,
    0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3,
    0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18aff,
    0x1aff0...0x1b2ff, 0x1f004...0x1f004, 0x1f0cf...0x1f0cf, 0x1f18e...0x1f18e, 0x1f191...0x1f19a,
    0x1f200...0x1f320, 0x1f32d...0x1f335, 0x1f337...0x1f37c, 0x1f37e...0x1f393, 0x1f3a0...0x1f3ca,
    0x1f3cf...0x1f3d3, 0x1f3e0...0x1f3f0, 0x1f3f4...0x1f3f4, 0x1f3f8...0x1f43e, 0x1f440...0x1f440,
    0x1f442...0x1f4fc, 0x1f4ff...0x1f53d, 0x1f54b...0x1f54e, 0x1f550...0x1f567, 0x1f57a...0x1f57a,
    0x1f595...0x1f596, 0x1f5a4...0x1f5a4, 0x1f5fb...0x1f64f, 0x1f680...0x1f6c5, 0x1f6cc...0x1f6cc,
    0x1f6d0...0x1f6d2, 0x1f6d5...0x1f6d7, 0x1f6dc...0x1f6df, 0x1f6eb...0x1f6ec, 0x1f6f4...0x1f6fc,
    0x1f7e0...0x1f7eb, 0x1f7f0...0x1f7f0, 0x1f90c...0x1f93a, 0x1f93c...0x1f945, 0x1f947...0x1f9ff,
    0x1fa70...0x1faff, 0x20000...0x3fffd,
  ]

  /// Shortens in the middle, because both ends of a name distinguish files.
  package static func truncated(_ text: String, to width: Int, ellipsis: String) -> String {
    if of(text) <= width { return text }
    let room = width - of(ellipsis)
    guard room > 0 else { return String(repeating: ".", count: max(0, width)) }
    let head = prefix(of: text, width: (room + 1) / 2)
    let tail = prefix(of: text.reversed(), width: room - head.width)
    return head.text + ellipsis + String(tail.text.reversed())
  }

  /// Shortens or pads with spaces.
  package static func fitted(_ text: String, to width: Int, ellipsis: String) -> String {
    let shortened = truncated(text, to: width, ellipsis: ellipsis)
    return shortened + String(repeating: " ", count: max(0, width - of(shortened)))
  }

  private static func prefix(of text: some Sequence<Character>, width: Int) -> (text: String, width: Int) {
    var taken = ""
    var used = 0
    for character in text {
      let columns = of(character)
      if used + columns > width { break }
      taken.append(character)
      used += columns
    }
    return (taken, used)
  }
}
