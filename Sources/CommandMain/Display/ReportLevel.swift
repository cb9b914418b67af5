/// Which lines are shown.
enum ReportLevel: Int, Comparable, Sendable {
  case failures, warnings, normal, details

  static func < (a: ReportLevel, b: ReportLevel) -> Bool { a.rawValue < b.rawValue }
}
