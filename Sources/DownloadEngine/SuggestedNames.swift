/// The targets of a run in which answers name files, so that no two files get one name.
struct SuggestedNames {
  private var items: [[UInt8]: Int] = [:]
  /// Items that start over under the names that their answers suggested. Their transfers are dropped first, which is not
  /// possible within libcurl's callbacks.
  private var renamed: [ActiveItem] = []

  /// - Parameter name: a target relative to the directory of the run.
  /// - Returns: false if another item has it.
  mutating func take(_ name: [UInt8], by item: Int) -> Bool {
    if let other = items[name] { return other == item }
    items[name] = item
    return true
  }

  mutating func startOver(_ item: ActiveItem) { renamed.append(item) }

  mutating func takeRenamed() -> [ActiveItem] {
    defer { renamed = [] }
    return renamed
  }
}
