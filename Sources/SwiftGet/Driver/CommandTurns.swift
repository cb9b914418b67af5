internal import DownloadCore

/// Lets one call at a time through, in the order in which they come.
final class CommandTurns: Sendable {
  private struct Line {
    var isTaken = false
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var lastNumber = 0
  }

  private let line = Lock(Line())

  /// Returns when it is the caller's turn, which lasts until `give`.
  ///
  /// - Parameter limit: how long it waits.
  /// - Returns: false if the turn has not come in this time. It does not come any more.
  func take(atMost limit: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      let number = line.withLock { line -> Int? in
        if !line.isTaken {
          line.isTaken = true
          return nil
        }
        line.lastNumber += 1
        line.waiting.append((line.lastNumber, continuation))
        return line.lastNumber
      }
      guard let number else { return continuation.resume(returning: true) }
      Task.detached { [weak self] in
        try? await Task.sleep(for: limit)
        self?.giveUp(number)
      }
    }
  }

  private func giveUp(_ number: Int) {
    let left = line.withLock { line in
      line.waiting.firstIndex { $0.number == number }.map { line.waiting.remove(at: $0) }
    }
    left?.continuation.resume(returning: false)
  }

  /// The next one's turn has come.
  func give() {
    let next = line.withLock { line in
      if line.waiting.isEmpty { line.isTaken = false }
      return line.waiting.isEmpty ? nil : line.waiting.removeFirst()
    }
    next?.continuation.resume(returning: true)
  }
}
