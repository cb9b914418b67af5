import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `A queue of items` {
  @Test func `keeps the order of priorities, and of arrival within each`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      var queue = ItemQueue()
      var model: [(item: ItemHandle, priority: Int)] = []
      for number in 0..<60 {
        let priority = Int.random(in: -1...1, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0..<4:
          queue.append(ItemHandle(number), priority: priority)
          model.insert((ItemHandle(number), priority), at: model.firstIndex { $0.priority < priority } ?? model.count)
        case 4:
          let item = ItemHandle(Int.random(in: 0...number, using: &random))
          queue.remove(item)
          model.removeAll { $0.item == item }
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
      queue.append(ItemHandle(number))
      queue.append(ItemHandle(number + 1_000_000))
      #expect(queue.popFirst() != nil)
      if number.isMultiple(of: 2) {
        #expect(queue.popFirst() != nil)
        next += 1
      }
    }
    #expect(next == 5000 && !queue.isEmpty)
  }
}
