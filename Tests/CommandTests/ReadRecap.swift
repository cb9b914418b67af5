/// The recap of a run, read from what the run has printed.
struct ReadRecap {
  struct Group: Equatable {
    var count: Int
    var cause: String
    var names: [String] = []
    /// Of names that are left out.
    var otherCount = 0
  }

  /// Causes with the names below them, in their order.
  private(set) var groups: [Group] = []
  /// The line with the counts.
  private(set) var counts = ""
  /// Lines below the names and the counts.
  private(set) var last: [String] = []

  /// - Parameter text: lines; those before the recap are passed over.
  init(_ text: String) {
    var isInGroup = false
    for line in text.split(separator: "\n").map(String.init) {
      if isInGroup, let match = line.wholeMatch(of: #/  … and (\d+) more/#) {
        groups[groups.count - 1].otherCount = Int(match.1) ?? 0
      } else if isInGroup, line.hasPrefix("  ") {
        groups[groups.count - 1].names.append(String(line.dropFirst(2)))
      } else if let match = line.wholeMatch(of: #/swiftget: (\d+) files? failed: (.*)/#) {
        groups.append(Group(count: Int(match.1) ?? 0, cause: String(match.2)))
        isInGroup = true
      } else {
        isInGroup = false
        if line.firstMatch(of: #/^swiftget: \d+ files? downloaded/#) != nil {
          counts = line
          last = []
        } else {
          last.append(line)
        }
      }
    }
  }
}
