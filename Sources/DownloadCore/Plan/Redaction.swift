/// Removes secrets from text for people, logs and files.
///
/// URLs contain passwords in their userinfo and signatures in their queries. Text is redacted where it enters (an
/// argument, a line of a list, a message of libcurl), because its extent is known there, and again as part of a
/// message. Redaction is idempotent.
package enum Redaction {
  /// A text that is meant as a URL and may be invalid, without userinfo, query and fragment.
  ///
  /// Removes everything before the last `@`, because an unencoded password may contain slashes and question marks,
  /// which end the authority for a parser. A port that is not a number may be a password whose host is missing.
  package static func url(_ text: some Collection<UInt8>) -> [UInt8] { url(Array(text)[...], inWords: false) }

  /// A text that may be meant as a URL: the argument of an option, a name, a word of a list.
  package static func argument(_ text: some Collection<UInt8>) -> [UInt8] {
    let text = Array(text)[...]
    if authority(of: text) != nil { return url(text, inWords: false) }
    return withoutQuery(withoutUserinfo(text, from: text.startIndex), from: text.startIndex)
  }

  /// The name of a file, redacted only if it begins like a URL.
  package static func name(_ text: some Collection<UInt8>) -> [UInt8] {
    let text = Array(text)
    return authority(of: text[...]) == nil ? text : url(text)
  }

  /// An invalid line. The text after `=`, or after a colon and a blank, may be a header or a password.
  package static func line(_ text: some Collection<UInt8>) -> [UInt8] {
    let shown = argument(text)
    for (index, byte) in shown.enumerated() {
      let isHeader = byte == UInt8(ascii: ":") && index + 1 < shown.count && shown[index + 1].isSpace
      guard byte == UInt8(ascii: "=") || isHeader else { continue }
      return index + 1 < shown.count ? shown[...index] + ellipsis : shown
    }
    return shown
  }

  /// A message that may contain URLs: bare ones, which end at a blank, and quoted ones, which end at the last quotation
  /// mark.
  ///
  /// - Parameter secrets: texts that the message may quote, such as a proxy's URL. Where the message ends inside a
  ///   quoted one, that part is removed, too.
  package static func words(_ text: String, quoting secrets: [String] = []) -> String {
    var bytes = Array(text.utf8)
    for secret in secrets { bytes = replacing(Array(secret.utf8), in: bytes) }
    guard mayContainSecret(bytes) else {
      return text.utf8.elementsEqual(bytes) ? text : String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: words(bytes), as: UTF8.self)
  }

  // MARK: URLs

  /// Stands for what is left out.
  package static let ellipsis = Array("…".utf8)
  private static let separator = Array("://".utf8)

  /// The start of the authority, after `scheme://` and further slashes, which libcurl skips.
  private static func authority(of text: ArraySlice<UInt8>) -> Int? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: separator),
      text[..<colon].allSatisfy(URLScheme.isPart)
    else { return nil }
    return text[colon...].dropFirst().firstIndex { $0 != UInt8(ascii: "/") } ?? text.endIndex
  }

  /// - Parameter inWords: the URL was parsed before, so an `@` after a valid authority belongs to the path.
  private static func url(_ text: ArraySlice<UInt8>, inWords: Bool) -> [UInt8] {
    let start = authority(of: text) ?? text.startIndex
    let end = text[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
    let isSound =
      portColon(in: text[start..<end]).map { colon in text[(colon + 1)..<end].allSatisfy(\.isDigit) } ?? true
    let hasUserinfo = text[start..<end].contains(UInt8(ascii: "@"))
    if inWords, hasUserinfo || isSound {
      let at = text[start..<end].lastIndex(of: UInt8(ascii: "@"))
      let rest = at.map { text[..<start] + ellipsis + text[$0...] } ?? text
      return withoutQuery(rest, from: start)
    }
    guard text[start...].contains(UInt8(ascii: "@")) || isSound else {
      return text[...(portColon(in: text[start..<end]) ?? start)] + ellipsis
    }
    return withoutQuery(withoutUserinfo(text, from: start), from: start)
  }

  /// The colon before the port, not one within the brackets of an IPv6 address.
  private static func portColon(in authority: ArraySlice<UInt8>) -> Int? {
    let host = authority.first == UInt8(ascii: "[") ? authority.lastIndex(of: UInt8(ascii: "]")) : nil
    return authority[(host ?? authority.startIndex)...].firstIndex(of: UInt8(ascii: ":"))
  }

  private static func withoutUserinfo(_ text: ArraySlice<UInt8>, from start: Int) -> ArraySlice<UInt8> {
    guard let at = text[start...].lastIndex(of: UInt8(ascii: "@")) else { return text }
    return text[..<start] + ellipsis + text[at...]
  }

  private static func withoutQuery(_ text: ArraySlice<UInt8>, from start: Int) -> [UInt8] {
    guard let mark = text[start...].firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      return Array(text)
    }
    return text[...mark] + ellipsis
  }

  // MARK: Words

  /// A fast check: most lines contain neither an `@` nor a URL.
  private static func mayContainSecret(_ text: [UInt8]) -> Bool {
    for (index, byte) in text.enumerated() {
      if byte == UInt8(ascii: "@") { return true }
      if byte == UInt8(ascii: ":"), text[index...].starts(with: separator) { return true }
    }
    return false
  }

  private static func words(_ text: [UInt8]) -> [UInt8] {
    var shown: [UInt8] = []
    var index = 0
    while index < text.count {
      let byte = text[index]
      if index == 0 || !(text[index - 1].isLetter || text[index - 1].isDigit) {
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\""), let close = text.lastIndex(of: byte), close > index
        {
          let quoted = text[(index + 1)..<close]
          shown += [byte] + (mayContainSecret(Array(quoted)) ? argument(quoted) : Array(quoted)) + [byte]
          index = close + 1
          continue
        }
        if byte.isLetter, case let word = text[index...].prefix(while: { $0 > 0x20 }), authority(of: word) != nil {
          // Trailing punctuation belongs to the message.
          let end = word.lastIndex { !":;,.)".utf8.contains($0) } ?? word.startIndex
          shown += url(word[...end], inWords: true) + word[(end + 1)...]
          index = word.endIndex
          continue
        }
      }
      shown.append(byte)
      index += 1
    }
    return shown
  }

  private static func replacing(_ secret: [UInt8], in text: [UInt8]) -> [UInt8] {
    guard !secret.isEmpty else { return text }
    if let found = text.firstRange(of: secret) {
      return text[..<found.lowerBound] + url(secret) + text[found.upperBound...]
    }
    for index in text.indices where text[index] == UInt8(ascii: "'") {
      let cut = text[(index + 1)...]
      if !cut.isEmpty, secret.starts(with: cut) { return text[...index] + ellipsis }
    }
    return text
  }
}
