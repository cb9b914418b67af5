internal import Glibc

/// Which files of lists are wanted, by their names (`--include`, `--exclude`).
///
/// Patterns are those of fnmatch(3). One without a slash is compared with the last component of the name, one with a
/// slash with the whole name. There `*` does not go beyond a slash, but `**` does: as a component of its own it stands for
/// any number of directories, none included.
package struct NameFilter: Sendable, Equatable {
  /// One of these must match, if there are any.
  package var included: [[UInt8]] = []
  /// None of these may match.
  package var excluded: [[UInt8]] = []

  package init() {}

  package var isEmpty: Bool { included.isEmpty && excluded.isEmpty }

  /// - Parameter name: relative to the target directory.
  package func wants(_ name: [UInt8]) -> Bool {
    if excluded.contains(where: { Self.matches(name, $0) }) { return false }
    return included.isEmpty || included.contains { Self.matches(name, $0) }
  }

  private static let slash = UInt8(ascii: "/")

  private static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    // A search for a collection takes longer than all else here.
    let star = UInt8(ascii: "*")
    if zip(pattern, pattern.dropFirst()).contains(where: { $0 == star && $1 == star }) {
      let name = name.split(separator: slash, omittingEmptySubsequences: false)
      return expanded(pattern.split(separator: slash, omittingEmptySubsequences: false)).contains { matches(name, $0) }
    }
    guard !pattern.contains(slash) else { return matches(name[...], pattern[...]) }
    return matches(name.split(separator: slash).last ?? name[...], pattern[...])
  }

  /// Without slashes between `**` and other characters: `a**b` is `a*b` in one component, or `a*/**/*b` in several.
  private static func expanded(_ pattern: [ArraySlice<UInt8>]) -> [[ArraySlice<UInt8>]] {
    for (index, component) in pattern.enumerated() where component.count > 2 {
      guard let range = component.firstRange(of: Array("**".utf8)) else { continue }
      let star = [UInt8(ascii: "*")]
      let beginning = component[..<range.lowerBound] + star
      let end = star + component[range.upperBound...].drop { $0 == star[0] }
      let inside = component[..<range.lowerBound] + end
      let several = [beginning, Array("**".utf8)[...], end[...]]
      return [[inside], several].flatMap { expanded(pattern[..<index] + $0 + pattern[(index + 1)...]) }
    }
    return [pattern]
  }

  /// Compares components. `**` stands for any number of them, but at the end for at least one.
  private static func matches(_ name: [ArraySlice<UInt8>], _ pattern: [ArraySlice<UInt8>]) -> Bool {
    // The numbers of components of the name that the pattern may have covered so far.
    var covered: Set<Int> = [0]
    for (index, component) in pattern.enumerated() {
      guard let least = covered.min() else { return false }
      if component.elementsEqual("**".utf8) {
        covered = Set((index == pattern.count - 1 ? least + 1 : least)...max(name.count, least + 1))
      } else {
        covered = Set(covered.filter { $0 < name.count && matches(name[$0], component) }.map { $0 + 1 })
      }
    }
    return covered.contains(name.count)
  }

  private static func matches(_ name: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    Array(name).withCString { name in
      Array(pattern).withCString { fnmatch($0, name, FNM_PATHNAME) == 0 }
    }
  }
}
