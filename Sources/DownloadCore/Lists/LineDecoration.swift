/// What people and programs write around the URLs of a list.
///
///     decorated = [ bullet 1*blank ] ( url / quoted / link )
///     bullet    = "-" / "*" / "+" / 1*9DIGIT ( "." / ")" )
///     quoted    = ( DQUOTE url DQUOTE / "'" url "'" / "<" url ">" ) [ "," / ";" ]
///     link      = "[" text "](" url ")"
enum LineDecoration {
  /// The line with which conda begins the URLs of an explicit environment.
  static let explicitMark = Array("@EXPLICIT".utf8)

  /// The URL of a decorated line, with what follows it behind a bullet; nil for any other line, and for one without decoration.
  static func removed(from line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let first = line.first, !first.isLetter else { return nil }
    let rest = withoutBullet(line)
    let url = unquoted(rest) ?? linked(rest) ?? (rest.count < line.count ? rest : nil)
    return url.flatMap { URLScheme.begins($0) ? $0 : nil }
  }

  private static func withoutBullet(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = line.prefix(9).prefix(while: \.isDigit)
    let mark = line[digits.endIndex...].first
    let marks = digits.isEmpty ? "-*+" : ".)"
    guard let mark, marks.utf8.contains(mark) else { return line }
    let rest = line[(digits.endIndex + 1)...]
    let text = rest.drop(while: \.isSpace)
    return text.count < rest.count ? text : line
  }

  private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let close: UInt8
    switch text.first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): close = text[text.startIndex]
    case UInt8(ascii: "<"): close = UInt8(ascii: ">")
    default: return nil
    }
    let inside = text.dropFirst().prefix { $0 != close }
    let rest = text[inside.endIndex...].dropFirst().trimmed
    guard inside.endIndex < text.endIndex, rest.isEmpty || rest.count == 1 && ",;".utf8.contains(rest[rest.startIndex])
    else { return nil }
    return inside.trimmed
  }

  private static func linked(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: ")"),
      let close = text.firstIndex(of: UInt8(ascii: "]")), text[(close + 1)...].first == UInt8(ascii: "(")
    else { return nil }
    let url = text[(close + 2)...].dropLast()
    return url.contains(where: \.isSpace) ? nil : url
  }
}
