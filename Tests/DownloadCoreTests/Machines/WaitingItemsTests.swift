import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `A queue of items` {
  @Test func `keeps the order of priorities, and of arrival within each`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      var queue = ItemQueue()
      var model: [(item: Int, priority: Int)] = []
      for number in 0..<60 {
        let priority = Int.random(in: -1...1, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
          queue.append(number, priority: priority)
          model.insert((number, priority), at: model.firstIndex { $0.priority < priority } ?? model.count)
        case 4:
          queue.prepend(number, priority: priority)
          model.insert((number, priority), at: model.firstIndex { $0.priority <= priority } ?? model.count)
        case 5:
          let item = Int.random(in: 0...number, using: &random)
          #expect(queue.remove(item) == model.contains { $0.item == item })
          model.removeAll { $0.item == item }
        case 6:
          let rest = Int.random(in: 0..<9, using: &random)
          let named = queue.removeAll { $0 % 9 == rest }
          #expect(named == model.map(\.item).filter { $0 % 9 == rest })
          model.removeAll { $0.item % 9 == rest }
        default:
          #expect(queue.popFirst() == model.first?.item)
          if !model.isEmpty { model.removeFirst() }
        }
        #expect(queue.first == model.first?.item && queue.isEmpty == model.isEmpty)
      }
      while let item = queue.popFirst() { #expect(item == model.removeFirst().item) }
      #expect(model.isEmpty)
    }
  }

  @Test func `gives back the room of what was taken`() {
    var queue = ItemQueue()
    var next = 0
    for number in 0..<10_000 {
      queue.append(number)
      queue.append(number + 1_000_000)
      #expect(queue.popFirst() != nil)
      if number.isMultiple(of: 2) {
        #expect(queue.popFirst() != nil)
        next += 1
      }
    }
    #expect(next == 5000 && !queue.isEmpty)
  }
}
