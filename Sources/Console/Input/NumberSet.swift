/// A set of numbers from 0 on, of which most may be in it: a bit for each.
struct NumberSet {
  private var words: [UInt64]

  /// - Parameter end: numbers are below it.
  init(below end: Int) { words = Array(repeating: 0, count: (end + 63) / 64) }

  func contains(_ number: Int) -> Bool { words[number / 64] & bit(number) != 0 }

  /// - Returns: whether it was not in the set.
  mutating func insert(_ number: Int) -> Bool {
    let isNew = !contains(number)
    words[number / 64] |= bit(number)
    return isNew
  }

  mutating func removeAll() { for index in words.indices { words[index] = 0 } }

  private func bit(_ number: Int) -> UInt64 { 1 << UInt64(number % 64) }
}
