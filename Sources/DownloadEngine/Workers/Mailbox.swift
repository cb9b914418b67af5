internal import DownloadCore
internal import DownloadTransport

/// A queue of messages to one thread. The threads of a run communicate by mailboxes only.
package final class Mailbox<Message: Sendable>: Sendable {
  private let messages = Lock<[Message]>([])
  private let wakeup = Wakeup()

  package init() {}

  /// Readable while messages wait.
  package var descriptor: Int32 { wakeup.descriptor }

  package func post(_ message: Message) { post(CollectionOfOne(message)) }

  /// Posts several messages with one wake-up.
  package func post(_ batch: some Collection<Message> & Sendable) {
    guard !batch.isEmpty else { return }
    let wasEmpty = messages.withLock {
      $0.append(contentsOf: batch)
      return $0.count == batch.count
    }
    if wasEmpty { wakeup.signal() }
  }

  /// Wakes the thread although there is no message.
  package func wake() { wakeup.signal() }

  var isEmpty: Bool { messages.withLock { $0.isEmpty } }

  /// All messages so far, in order, without waiting.
  package func takeAll() -> [Message] {
    wakeup.clear()
    return take()
  }

  /// Waits until there is a message, then takes all.
  func waitForAll() -> [Message] {
    while true {
      let taken = take()
      if !taken.isEmpty { return taken }
      wakeup.wait()
    }
  }

  private func take() -> [Message] {
    messages.withLock {
      let taken = $0
      $0 = []
      return taken
    }
  }
}
