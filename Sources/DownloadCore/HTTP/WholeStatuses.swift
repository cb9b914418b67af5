/// Statuses of answers whose body is the whole content.
package struct WholeStatuses: Hashable, Sendable {
  /// Those that the user accepts besides 200 and 203 (`--accept-status`). What `mayAccept` refuses has no effect.
  package var further: Set<Int>

  package init(further: Set<Int> = []) { self.further = further }

  /// Whether a body with this status can be a whole file: 2xx, except those without content (204, 205) and parts (206).
  package static func mayAccept(_ status: Int) -> Bool { 200...299 ~= status && ![204, 205, 206].contains(status) }

  /// 203 is what a proxy made of a 200 (RFC 9110 section 15.3.4).
  package func contains(_ status: Int) -> Bool {
    status == 200 || status == 203 || (further.contains(status) && Self.mayAccept(status))
  }
}
