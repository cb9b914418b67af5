/// Elements that wait: first in, first out.
package struct FIFO<Element> {
  /// The next one is the last.
  private var ahead: [Element] = []
  private var behind: [Element] = []

  package init() {}

  package var isEmpty: Bool { ahead.isEmpty && behind.isEmpty }
  package var first: Element? { ahead.last ?? behind.first }

  package mutating func append(_ element: Element) { behind.append(element) }

  /// Puts the element before all others.
  package mutating func putBack(_ element: Element) { ahead.append(element) }

  /// Costs constant time on average, and keeps nothing of what it returns.
  package mutating func popFirst() -> Element? {
    if ahead.isEmpty {
      ahead = behind.reversed()
      behind = []
    }
    return ahead.popLast()
  }

  package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    ahead.removeAll(where: isUnwanted)
    behind.removeAll(where: isUnwanted)
  }
}

extension FIFO: Sendable where Element: Sendable {}
