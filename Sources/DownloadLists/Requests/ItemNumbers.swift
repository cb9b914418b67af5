/// A number for each of some items. Memory: 8 bytes for each.
///
/// Most are added in the order of the items. Others wait until there are enough of them to be sorted in together.
struct ItemNumbers {
  /// Ascending.
  private var items: [Int32] = []
  private var numbers: [Int32] = []
  /// Of items that are below the last one of `items`.
  private var waiting: [Int32: Int32] = [:]
  private let mostWaiting: Int

  /// - Parameter mostWaiting: at least 1.
  init(mostWaiting: Int = 16 << 10) { self.mostWaiting = mostWaiting }

  var count: Int { items.count + waiting.count }

  subscript(item: Int) -> Int? {
    let item = Int32(clamping: item)
    let number = items.sortedIndex(of: item).map { numbers[$0] } ?? waiting[item]
    return number.map(Int.init)
  }

  /// Replaces the number of an item.
  ///
  /// - Parameters: numbers of 32 bits.
  mutating func set(_ item: Int, _ number: Int) {
    let (item, number) = (Int32(clamping: item), Int32(clamping: number))
    let index = items.lowerBound(of: item)
    if index == items.endIndex {
      items.append(item)
      numbers.append(number)
    } else if items[index] == item {
      numbers[index] = number
    } else {
      waiting[item] = number
      if waiting.count >= mostWaiting { sortWaiting() }
    }
  }

  /// Extends the arrays in place, from their ends.
  private mutating func sortWaiting() {
    let added = waiting.sorted { $0.key < $1.key }
    waiting.removeAll(keepingCapacity: true)
    var source = items.count
    items += repeatElement(0, count: added.count)
    numbers += repeatElement(0, count: added.count)
    var target = items.count
    for (item, number) in added.reversed() {
      while source > 0, items[source - 1] > item {
        (source, target) = (source - 1, target - 1)
        (items[target], numbers[target]) = (items[source], numbers[source])
      }
      target -= 1
      (items[target], numbers[target]) = (item, number)
    }
  }
}
