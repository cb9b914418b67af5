/// A set of numbers from 0 on: a bit for each up to the greatest.
package struct NumberSet {
  private var words: [UInt64] = []
  package private(set) var count = 0

  package init() {}

  package func contains(_ number: Int) -> Bool {
    let word = number / UInt64.bitWidth
    return word < words.count && words[word] & Self.bit(number) != 0
  }

  /// - Returns: whether it was not in the set.
  @discardableResult package mutating func insert(_ number: Int) -> Bool {
    if contains(number) { return false }
    let word = number / UInt64.bitWidth
    if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
    words[word] |= Self.bit(number)
    count += 1
    return true
  }

  private static func bit(_ number: Int) -> UInt64 { 1 << UInt64(number % UInt64.bitWidth) }
}
