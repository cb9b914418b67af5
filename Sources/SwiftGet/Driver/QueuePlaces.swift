internal import DownloadCore
internal import DownloadJSON

/// Where tasks stand in the order of work, which only the engine knows.
struct QueuePlaces: Sendable {
  /// Nil where it does not matter.
  private var places: [TaskID: Int]?
  /// The tasks that the engine knows, in the order of work. Settled ones are where they would begin again.
  private(set) var tasks: [TaskID] = []

  /// Places that change no order.
  init() {}

  /// - Parameter tasks: those that the engine knows; the one that begins first is at the beginning.
  init(_ tasks: [TaskID]) {
    places = Dictionary(zip(tasks, 0...)) { first, _ in first }
    self.tasks = tasks
  }

  /// The tasks in the order of work. Settled ones that the engine does not know any more come before the others.
  func sorted(_ tasks: [TaskID]) -> [TaskID] {
    guard let places else { return tasks }
    return tasks.sorted { (places[$0] ?? -1, $0) < (places[$1] ?? -1, $1) }
  }
}

/// What the question for the order of work brings.
enum OrderAnswer: Sendable {
  /// This process works on the session.
  case here(QueuePlaces)
  /// Some ids, and the place of those that follow; nil at the end.
  case page([TaskID], next: Int64?)

  /// Nil for what is no answer to `order`.
  init?(json: JSONValue) {
    guard let tasks = json["tasks"]?.elements else { return nil }
    self = .page(tasks.compactMap { $0.string.flatMap { DownloadTaskID($0) }?.number }, next: json["next"]?.integer)
  }
}
