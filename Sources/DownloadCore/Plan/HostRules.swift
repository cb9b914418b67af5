/// Settings for hosts of certain names (`[host NAME]` in the configuration file).
///
/// They name no host to which credentials may go: `headers` and `user` are sent only where those of the command line
/// would be.
package struct HostRules: Sendable, Equatable {
  package struct Rule: Sendable, Equatable {
    /// Names with `*` for any text and `?` for one character, in lower case.
    package var patterns: [String]
    package var settings = HostSettings()

    package init(patterns: [String]) { self.patterns = patterns.map { $0.lowercased() } }
  }

  /// In the order of the file.
  package var rules: [Rule] = []

  package init() {}

  package var isEmpty: Bool { rules.isEmpty }

  /// What the rules say of a host together; of two that say the same, the later one counts.
  ///
  /// - Parameter host: in lower case.
  package func settings(for host: String) -> HostSettings {
    var settings = HostSettings()
    for rule in rules where rule.patterns.contains(where: { Self.matches(host, $0) }) {
      settings.override(by: rule.settings)
    }
    return settings
  }

  /// Adds to the settings of the last rule.
  package mutating func changeLast(_ change: (inout HostSettings) -> Void) { change(&rules[rules.count - 1].settings) }

  /// Something that counts more says who the user is.
  package mutating func overrideUser() { for index in rules.indices { rules[index].settings.user = nil } }

  /// Something that counts more says which netrc file is read.
  package mutating func overrideNetrc() { for index in rules.indices { rules[index].settings.netrc = nil } }

  /// Something that counts more limits connections.
  package mutating func overrideConnections() {
    for index in rules.indices { rules[index].settings.maxConnections = nil }
  }

  /// Something that counts more says what header fields of this name are.
  package mutating func overrideHeader(_ line: String) {
    for index in rules.indices { rules[index].settings.headers = rules[index].settings.headers.without([line]) }
  }

  /// Lowers limits to this one.
  package mutating func limitConnections(to most: Int) {
    for index in rules.indices {
      rules[index].settings.maxConnections = rules[index].settings.maxConnections.map { min($0, most) }
    }
  }

  static func matches(_ name: String, _ pattern: String) -> Bool {
    let (name, pattern) = (Array(name.utf8), Array(pattern.utf8))
    let star = UInt8(ascii: "*")
    var (at, here) = (0, 0)
    // Where the last asterisk is, and what it has to leave of the name.
    var lastStar: (pattern: Int, name: Int)?
    while at < name.count {
      if here < pattern.count, pattern[here] == star {
        lastStar = (here, at)
        here += 1
      } else if here < pattern.count, pattern[here] == name[at] || pattern[here] == UInt8(ascii: "?") {
        (at, here) = (at + 1, here + 1)
      } else if let star = lastStar {
        lastStar = (star.pattern, star.name + 1)
        (at, here) = (star.name + 1, star.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[here...].allSatisfy { $0 == star }
  }
}

/// Where a `NetrcFile` is.
package enum NetrcPlace: Hashable, Sendable {
  /// `.netrc` in the home directory.
  case usual
  case named(String)
}

/// What may be set for a host.
package struct HostSettings: Sendable, Equatable {
  /// `Name: value` lines, which replace those of the run with the same names.
  package var headers: [String] = []
  /// `user:password`; nil is that of the run.
  package var user: String?
  /// The netrc file that has name and password; nil is what holds for the run.
  package var netrc: NetrcPlace?
  /// The limit of connections; nil is that of the run.
  package var maxConnections: Int?
  /// The limit of the rate of all transfers from the host, beside that of the run; nil is none.
  package var limitRate: RateTimetable?
  /// The limit of the requests a second that start there, beside that of the run, above 0; nil is none.
  package var requestsPerSecond: Double?

  package init() {}

  fileprivate mutating func override(by other: HostSettings) {
    headers = headers.without(other.headers) + other.headers
    user = other.user ?? user
    netrc = other.netrc ?? netrc
    maxConnections = other.maxConnections ?? maxConnections
    limitRate = other.limitRate ?? limitRate
    requestsPerSecond = other.requestsPerSecond ?? requestsPerSecond
  }
}

extension [String] {
  /// Header lines without those that have a name of `lines`.
  package func without(_ lines: [String]) -> [String] {
    if lines.isEmpty { return self }
    func name(_ line: String) -> String { line.prefix { $0 != ":" }.lowercased() }
    let removed = Set(lines.map(name))
    return filter { !removed.contains(name($0)) }
  }
}
