package import DownloadCore

/// URLs as lists have them.
package enum URLText {
  /// With its credentials.
  package static func withUserinfo(_ mirror: MirrorURL) -> [UInt8] {
    let url = Array(mirror.location.text.utf8)
    guard let userinfo = mirror.userinfo else { return url }
    let start = mirror.location.scheme.rawValue.utf8.count + "://".utf8.count
    var text = Array(url[..<start])
    let parts = userinfo.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ":")) }
      PercentEncoding.append(userinfo: part, to: &text)
    }
    return text + [UInt8(ascii: "@")] + url[start...]
  }
}
