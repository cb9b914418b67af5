internal import DownloadCore

/// Where tasks stand in the order of work, which only the engine knows.
struct QueuePlaces: Sendable {
  /// Nil where it does not matter.
  private var places: [TaskID: Int]?

  /// Places that change no order.
  init() {}

  /// - Parameter tasks: those that the engine knows; the one that begins first is at the beginning.
  init(_ tasks: [TaskID]) { places = Dictionary(uniqueKeysWithValues: zip(tasks, 0...)) }

  /// The tasks in the order of work. Settled ones that the engine does not know any more come before the others.
  func sorted(_ tasks: [TaskID]) -> [TaskID] {
    guard let places else { return tasks }
    return tasks.sorted { (places[$0] ?? -1, $0) < (places[$1] ?? -1, $1) }
  }
}
