/// Numbers of items, with one bit for each up to the greatest.
struct ItemSet {
  private var words: [UInt64] = []
  private(set) var count = 0

  mutating func insert(_ item: Int) {
    let (word, bit) = item.quotientAndRemainder(dividingBy: UInt64.bitWidth)
    if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
    if words[word] & (1 << UInt64(bit)) == 0 { count += 1 }
    words[word] |= 1 << UInt64(bit)
  }

  func contains(_ item: Int) -> Bool {
    let (word, bit) = item.quotientAndRemainder(dividingBy: UInt64.bitWidth)
    return word < words.count && words[word] & (1 << UInt64(bit)) != 0
  }
}
