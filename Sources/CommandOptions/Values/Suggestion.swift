/// Suggests a name for a misspelled one.
package enum Suggestion {
  /// The nearest candidate, if at most a third of its letters, and at most three, are wrong.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word.utf8)
    let most = min(3, max(1, letters.count / 3))
    // Each letter by which the lengths differ is a wrong one, so that a word of any length costs little.
    let scored = candidates.lazy.filter { abs($0.utf8.count - letters.count) <= most }
      .map { (name: $0, distance: distance(letters, Array($0.utf8))) }
    guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= most ? best.name : nil
  }

  /// The number of letters to insert, delete, replace or swap with a neighbour (optimal string alignment).
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + Array(repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
