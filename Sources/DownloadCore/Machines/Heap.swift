/// A binary heap, the least element first.
struct Heap<Element: Comparable> {
  private(set) var elements: [Element] = []

  init() {}

  /// Costs time in proportion to the number of elements.
  init(_ elements: [Element]) {
    self.elements = elements
    for index in (0..<elements.count / 2).reversed() { siftDown(index) }
  }

  var first: Element? { elements.first }
  var count: Int { elements.count }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { break }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  @discardableResult
  mutating func removeFirst() -> Element {
    elements.swapAt(0, elements.count - 1)
    let first = elements.removeLast()
    siftDown(0)
    return first
  }

  mutating func replaceFirst(_ element: Element) {
    elements[0] = element
    siftDown(0)
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count && elements[child] < elements[least] {
        least = child
      }
      if least == parent { return }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}
