import Glibc

/// Which files of lists are wanted, by their names (`--include`, `--exclude`).
///
/// Patterns are those of fnmatch(3). One without a slash is compared with the last component of the name, one with a
/// slash with the whole name, where `*` does not go beyond a slash, but `**` does.
package struct NameFilter: Sendable, Equatable {
  /// One of these must match, if there are any.
  package var included: [[UInt8]] = []
  /// None of these may match.
  package var excluded: [[UInt8]] = []

  package init() {}

  package var isEmpty: Bool { included.isEmpty && excluded.isEmpty }

  /// - Parameter name: relative to the target directory.
  func wants(_ name: [UInt8]) -> Bool {
    if excluded.contains(where: { Self.matches(name, $0) }) { return false }
    return included.isEmpty || included.contains { Self.matches(name, $0) }
  }

  private static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    let crosses = pattern.contains(Array("**".utf8))
    let compared = pattern.contains(slash) || crosses ? name : name.split(separator: slash).last.map(Array.init) ?? name
    return compared.withCString { name in
      pattern.withCString { fnmatch($0, name, crosses ? 0 : FNM_PATHNAME) == 0 }
    }
  }
}
