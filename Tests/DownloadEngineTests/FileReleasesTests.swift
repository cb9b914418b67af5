import Testing

@testable import DownloadCore
@testable import DownloadEngine

final class `Answers that wait for files`: Sendable {
  private let answered = Lock(0)
  private let first: TaskID = 1
  private let second: TaskID = 2

  private func order() -> EngineOrder {
    EngineOrder(commands: []) { _ in self.answered.withLock { $0 += 1 } }
  }

  private var answerCount: Int { answered.withLock { $0 } }

  @Test func `an order waits for the files that it takes back`() {
    var releases = FileReleases()
    releases.beginOrder()
    releases.began(first)
    releases.began(second)
    releases.answer(order(), [])
    _ = releases.ended(first)
    #expect(answerCount == 0)
    _ = releases.ended(second)
    #expect(answerCount == 1)
  }

  @Test func `an order waits for a file that was taken back before it`() {
    var releases = FileReleases()
    releases.began(first)
    releases.beginOrder()
    releases.awaitClosing { $0 == first }
    releases.answer(order(), [])
    #expect(answerCount == 0)
    _ = releases.ended(first)
    #expect(answerCount == 1)
  }

  @Test func `an order does not wait for other tasks`() {
    var releases = FileReleases()
    releases.began(first)
    releases.beginOrder()
    releases.awaitClosing { $0 == second }
    releases.answer(order(), [])
    #expect(answerCount == 1)
  }

  @Test func `a file that was released does not count`() {
    var releases = FileReleases()
    releases.began(first)
    _ = releases.ended(first)
    releases.beginOrder()
    releases.awaitClosing { _ in true }
    releases.answer(order(), [])
    #expect(answerCount == 1)
  }
}
