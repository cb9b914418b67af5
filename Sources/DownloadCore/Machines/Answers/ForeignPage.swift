/// A page that came in place of the file: a redirect led to another host, usually to a login page, which answers with 200.
///
/// Nothing but its type and where it came from tells it from the file, so this counts only where no digest judges the
/// content.
package enum ForeignPage {
  package enum Classification: Hashable, Sendable {
    /// It is an ordinary file.
    case file
    /// It may be what is wanted, for the name is that of a page or tells nothing. It gets no mark.
    case doubtful
    /// The name is not that of a page.
    case wrong
  }

  /// - Parameters:
  ///   - isPage: `Answer.isPage`
  ///   - name: the file's name.
  package static func classify(isPage: Bool, asked: Location, answering: Location, name: [UInt8]) -> Classification {
    guard isPage, site(of: asked) != site(of: answering) else { return .file }
    return isPageName(name) ? .doubtful : .wrong
  }

  /// The host without a leading `www.`.
  private static func site(_ host: String) -> Substring { host.hasPrefix("www.") ? host.dropFirst(4) : host[...] }
  private static func site(of location: Location) -> Substring { site(location.host) }

  /// Extensions of pages and of programs that make them, in lower case.
  private static let pageExtensions: Set = [
    "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi", "cfm", "do", "action",
  ]

  /// Whether the name has no extension or that of a page. An extension is 1 to 5 letters or digits after the last dot, not
  /// only digits; that of a page may be longer.
  static func isPageName(_ name: [UInt8]) -> Bool {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return true }
    let text = name[(dot + 1)...]
    if pageExtensions.contains(text.loweredPrintable) { return true }
    let isExtension =
      1...5 ~= text.count && text.allSatisfy { $0.isLetter || $0.isDigit } && !text.allSatisfy { $0.isDigit }
    return !isExtension
  }
}
