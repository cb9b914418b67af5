/// Which lines are shown.
enum DetailLevel: Int, Comparable, Sendable {
  case failures, warnings, normal, details

  static func < (a: DetailLevel, b: DetailLevel) -> Bool { a.rawValue < b.rawValue }
}
