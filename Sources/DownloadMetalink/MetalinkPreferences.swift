/// Which files and URLs of a Metalink document the user wants.
package struct MetalinkPreferences: Sendable, Hashable {
  /// Language ranges (RFC 4647 section 2.1). Files that name other languages only are not wanted; if this is empty, all
  /// are.
  package var languages: [String] = []
  /// Operating systems, likewise.
  package var systems: [String] = []
  /// Two-letter country codes, the preferred one first.
  package var locations: [String] = []

  package init() {}

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
