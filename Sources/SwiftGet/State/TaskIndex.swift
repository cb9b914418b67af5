internal import DownloadCore

/// Finds tasks by bytes that their records have, such as the path of the target. It has a hash of them only, because there
/// may be 100,000.
struct TaskIndex: Sendable {
  private struct Hash: CountedID, Sendable { let number: UInt64 }

  private let hash: @Sendable ([UInt8]) -> UInt64
  private var tasks: [Hash: TaskID] = [:]
  /// Tasks whose hash is that of another one.
  private var others: [[UInt8]: TaskID] = [:]

  /// - Parameter hash: what tests replace.
  init(hash: @escaping @Sendable ([UInt8]) -> UInt64 = TaskIndex.usualHash) { self.hash = hash }

  /// Nobody can choose bytes that meet in it.
  private static let usualHash: @Sendable ([UInt8]) -> UInt64 = { bytes in
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// - Parameter has: whether a task has these bytes.
  func task(of bytes: [UInt8], _ has: (TaskID) -> Bool) -> TaskID? {
    if let task = tasks[Hash(number: hash(bytes))], has(task) { return task }
    return others.isEmpty ? nil : others[bytes]
  }

  /// The task has these bytes from now on, whoever has had them before.
  ///
  /// - Parameter isOther: whether a task has other bytes with the same hash.
  mutating func insert(_ task: TaskID, _ bytes: [UInt8], _ isOther: (TaskID) -> Bool) {
    let hash = Hash(number: hash(bytes))
    if let known = tasks[hash], known != task, isOther(known) {
      others[bytes] = task
    } else {
      tasks[hash] = task
      if !others.isEmpty { others[bytes] = nil }
    }
  }

  /// These bytes do not stand for the task any more, if they did.
  mutating func remove(_ task: TaskID, _ bytes: [UInt8]) {
    let hash = Hash(number: hash(bytes))
    if tasks[hash] == task { tasks[hash] = nil }
    if !others.isEmpty, others[bytes] == task { others[bytes] = nil }
  }
}
