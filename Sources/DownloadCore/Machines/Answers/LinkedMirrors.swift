/// Another URL of a file, which a server names in an answer (RFC 6249 section 3).
package struct LinkedMirror: Hashable, Sendable {
  package var location: Location
  /// 1 to 999999; the lowest is the best.
  package var priority: Int
  /// A two-letter country code in lower case.
  package var country: String?

  package init(_ location: Location, priority: Int = FieldLink.lowestPriority, country: String? = nil) {
    self.location = location
    self.priority = priority
    self.country = country
  }
}

/// The mirrors of a file that servers name, and which of them are used.
///
/// Nobody but the network vouches for them. They join a file only while a strong digest judges its content, and serve
/// ranges of it: what they bring is never the version that others are compared with. They leave as soon as content is
/// discarded, and for good where a digest does not match.
struct LinkedMirrors: Sendable {
  /// The most mirrors that join one file.
  static let mostJoining = 20
  /// The most that are compared with each other.
  private static let mostNamed = 64

  /// In the order in which they were named.
  private var named: [LinkedMirror] = []
  private var joinedCount = 0

  /// A mirror of the request has named these.
  mutating func heard(of mirrors: [LinkedMirror]) {
    for mirror in mirrors where named.count < Self.mostNamed {
      if !named.contains(where: { $0.location == mirror.location }) { named.append(mirror) }
    }
  }

  /// Takes those that join now, the best first.
  ///
  /// - Parameters:
  ///   - known: the mirrors that the file has.
  ///   - needsEncryption: leaves out those that the way could be listened to.
  ///   - countries: preferred ones, the best first.
  mutating func join(_ known: [Location], needsEncryption: Bool, countries: [String]) -> [Location] {
    defer { named = [] }
    func rank(_ mirror: LinkedMirror) -> Int {
      mirror.country.flatMap { countries.firstIndex(of: $0) } ?? countries.count
    }
    let joining = named.enumerated()
      .filter { !known.contains($0.element.location) && ($0.element.location.scheme.isEncrypted || !needsEncryption) }
      .sorted {
        (rank($0.element), $0.element.priority, $0.offset) < (rank($1.element), $1.element.priority, $1.offset)
      }
      .prefix(Self.mostJoining - joinedCount)
    joinedCount += joining.count
    return joining.map(\.element.location)
  }
}
