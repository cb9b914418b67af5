/// Text in XML documents (XML 1.0, fifth edition).
package enum XMLText {
  /// Appends UTF-8 text, which `refusal` allows, as character data or as an attribute's value in quotation marks.
  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    text.append(bytes) { byte in
      switch byte {
      case UInt8(ascii: "&"): "&amp;"
      case UInt8(ascii: "<"): "&lt;"
      case UInt8(ascii: ">"): "&gt;"
      case UInt8(ascii: "\""): "&quot;"
      default: nil
      }
    }
  }

  /// Why a document cannot hold the name. Section 2.2 allows TAB, LF and CR, which readers of Metalink refuse in names.
  static func refusal(of name: [UInt8]) -> NameRefusal? {
    guard let text = String(validating: name, as: UTF8.self) else { return .notUTF8 }
    if name.contains(where: \.isControl) { return .controlCharacter }
    return text.unicodeScalars.contains { $0.value == 0xfffe || $0.value == 0xffff } ? .notXML : nil
  }
}
