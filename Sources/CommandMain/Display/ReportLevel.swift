/// Which lines are shown.
package enum ReportLevel: Int, Comparable, Sendable {
  case failures, warnings, normal, details

  package static func < (a: ReportLevel, b: ReportLevel) -> Bool { a.rawValue < b.rawValue }
}
