internal import DownloadCore
internal import DownloadLists
internal import DownloadWords

/// An operand that is no URL, and what is meant by it in all likelihood.
enum MistakenOperand {
  /// A magnet link or a torrent.
  case bitTorrent
  /// The file of a list, which is an argument of `-i`.
  case list
  /// The verb of sessions, behind options.
  case ctl

  init?(_ word: [UInt8]) {
    let text = String(decoding: word, as: UTF8.self).lowercased()
    if text.hasPrefix("magnet:") {
      self = .bitTorrent
    } else if TargetName.isURL(word) || text.contains(":") {
      return nil
    } else if text.hasSuffix(".torrent") {
      self = .bitTorrent
    } else if Self.isListName(text) {
      self = .list
    } else if text == "ctl" {
      self = .ctl
    } else {
      return nil
    }
  }

  private static let extensions: Set<Substring> = [
    "txt", "lst", "list", "urls", "csv", "tsv", "json", "jsonl", "ndjson", "meta4", "metalink", "md5", "sha1", "sha224",
    "sha256", "sha384", "sha512", "md5sum", "sha1sum", "sha256sum", "sha512sum",
  ]

  /// - Parameter name: in lower case.
  private static func isListName(_ name: String) -> Bool {
    var parts = name.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false) ?? []
    if parts.count > 1, ["gz", "xz", "zst"].contains(parts.last) { parts.removeLast() }
    guard let last = parts.last else { return false }
    return last.hasSuffix("sums") || parts.count > 1 && extensions.contains(last)
  }

  func error(of word: [UInt8]) -> Failure {
    let shown = Diagnostic.escaped(Redaction.url(word))
    switch self {
    case .bitTorrent:
      return Failure(
        .usage, "\(shown): BitTorrent is not supported",
        hint: "give an https:// or http:// URL of the file, or a Metalink")
    case .list:
      return Failure(.usage, "\(shown): not a URL", hint: "to download the files of a list: swiftget -i \(shown)")
    case .ctl: return Failure(.usage, "ctl is not the first word", hint: "swiftget ctl -S NAME VERB")
    }
  }
}
