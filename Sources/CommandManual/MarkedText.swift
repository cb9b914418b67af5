/// Text of the option table, with `` `bold` `` and `*italic*`. An asterisk in bold text is an asterisk.
struct MarkedText {
  enum Style: Character {
    case bold = "`"
    case italic = "*"
  }

  /// In their order; nil is the usual style.
  let pieces: [(style: Style?, text: String)]

  init(_ marked: String) {
    var pieces: [(style: Style?, text: String)] = []
    var style: Style?
    var text = ""
    for character in marked {
      guard let mark = Style(rawValue: character), style == nil || style == mark else {
        text.append(character)
        continue
      }
      if !text.isEmpty { pieces.append((style, text)) }
      (style, text) = (style == nil ? mark : nil, "")
    }
    if !text.isEmpty { pieces.append((style, text)) }
    self.pieces = pieces
  }

  /// Without marks.
  var plain: String { pieces.map(\.text).joined() }
}
