/// Which files and URLs of a Metalink document the user wants.
package struct MetalinkPreferences: Sendable, Hashable {
  /// Language ranges (RFC 4647 section 2.1). Files that name other languages only are not wanted; if this is empty, all
  /// are.
  package var languages: [String] = []
  /// Operating systems, likewise.
  package var systems: [String] = []
  /// Two-letter country codes, the preferred one first.
  package var locations: [String] = []

  /// Whether URLs may be relative references, because there is a base URL.
  package var allowsReferences = false
  /// Whether URLs of ftp are used, because another scheme replaces theirs.
  package var takesFTP = false

  package init() {}

  /// Whether a file can be had from this URL.
  func accepts(url: ArraySlice<UInt8>) -> Bool {
    if url.starts(withFolded: "https://") || url.starts(withFolded: "http://") { return true }
    return url.starts(withFolded: "ftp://") ? takesFTP : allowsReferences && Self.isReference(url)
  }

  /// Whether the text is a relative reference: its first segment has no colon (RFC 3986 section 4.2).
  private static func isReference(_ text: ArraySlice<UInt8>) -> Bool {
    for byte in text {
      switch byte {
      case UInt8(ascii: ":"): return false
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
      default: continue
      }
    }
    return !text.isEmpty
  }

  /// Whether a file with this language tag is wanted: `en` accepts `en-GB`, too (RFC 4647 section 3.3.1).
  func accepts(language: ArraySlice<UInt8>) -> Bool {
    if languages.isEmpty { return true }
    let tag = String(decoding: language, as: UTF8.self).lowercased()
    return languages.contains { range in
      let range = range.lowercased()
      return tag == range || tag.hasPrefix(range + "-")
    }
  }

  func accepts(system: ArraySlice<UInt8>) -> Bool {
    if systems.isEmpty { return true }
    let name = String(decoding: system, as: UTF8.self).lowercased()
    return systems.contains { $0.lowercased() == name }
  }

  /// The place of a location in the user's order; other locations share the last place.
  func rank(location: [UInt8]?) -> Int {
    guard let location, !locations.isEmpty else { return locations.count }
    let code = String(decoding: location, as: UTF8.self).lowercased()
    return locations.firstIndex { $0.lowercased() == code } ?? locations.count
  }
}
