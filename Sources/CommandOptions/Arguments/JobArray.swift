internal import DownloadCore
internal import DownloadLists

/// The shard of a process in a job array, by the variables that schedulers set (`--shard auto`).
///
/// Slurm and Grid Engine tell the index of a task and the indices of all tasks. Kubernetes, GNU parallel and PBS tell the
/// index only. All variables that are set must agree.
enum JobArray {
  /// A scheduler that tells the first and last index of an array and its step.
  private struct Scheduler {
    let index: String
    let first: String
    let last: String
    let step: String
    /// Nil where the scheduler does not tell it.
    let count: String?
  }

  enum Fault: Error, Equatable {
    /// No variable is set from which the shard follows.
    case noVariable
    /// The variable tells the index, and nothing tells how many tasks there are.
    case indexOnly(String)
    /// The index is known by one variable, but not the one beside it.
    case missing(String, beside: String)
    case notANumber(String, [UInt8])
    /// The indices of the array are not the numbers from its first to its last with its step.
    case uneven(String)
    /// The index is not one of so many.
    case outOfRange(String, Int64, count: Int64)
    /// The array of the variable has so many tasks, and the option or another array another number.
    case otherCount(String, Int64, expected: Int64)
    case contradiction(String, Int64, String, Int64)
  }

  // sbatch(1), OUTPUT ENVIRONMENT VARIABLES; qsub(1) of Grid Engine, -t.
  private static let schedulers = [
    Scheduler(
      index: "SLURM_ARRAY_TASK_ID", first: "SLURM_ARRAY_TASK_MIN", last: "SLURM_ARRAY_TASK_MAX",
      step: "SLURM_ARRAY_TASK_STEP", count: "SLURM_ARRAY_TASK_COUNT"),
    Scheduler(
      index: "SGE_TASK_ID", first: "SGE_TASK_FIRST", last: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE", count: nil),
  ]

  /// Variables with an index, and the first index.
  private static let indices: [(name: String, first: Int64)] = [
    ("JOB_COMPLETION_INDEX", 0), ("PARALLEL_SEQ", 1), ("PBS_ARRAY_INDEX", 1), ("PBS_ARRAYID", 1),
  ]

  /// - Parameter count: the number of shards where the option gives it; nil takes that of the array.
  static func shard(count: Int64?, _ environment: Environment) throws(Fault) -> Shard {
    var count = count
    var found: [(name: String, number: Int64)] = []
    for scheduler in schedulers {
      guard let place = try place(of: scheduler, environment) else { continue }
      if let count, place.count != count {
        throw .otherCount(scheduler.index, place.count, expected: count)
      }
      count = place.count
      found.append((scheduler.index, place.number))
    }
    for (name, first) in indices {
      if let index = try number(name, environment) { found.append((name, index - first + 1)) }
    }
    guard let (name, number) = found.first else { throw .noVariable }
    guard let count else { throw .indexOnly(name) }
    for other in found where other.number != number { throw .contradiction(name, number, other.name, other.number) }
    guard let shard = Shard(number: number, of: count) else { throw .outOfRange(name, number, count: count) }
    return shard
  }

  /// The place of the task among those of the array, counted from 1.
  private static func place(
    of scheduler: Scheduler, _ environment: Environment
  ) throws(Fault) -> (number: Int64, count: Int64)? {
    guard let index = try number(scheduler.index, environment) else { return nil }
    func needed(_ name: String) throws(Fault) -> Int64 {
      guard let number = try number(name, environment) else { throw .missing(name, beside: scheduler.index) }
      return number
    }
    let first = try needed(scheduler.first)
    let last = try needed(scheduler.last)
    let step = try number(scheduler.step, environment) ?? 1
    guard step > 0, first <= index, index <= last, (index - first) % step == 0, (last - first) % step == 0 else {
      throw .uneven(scheduler.index)
    }
    let count = (last - first) / step + 1
    if let told = scheduler.count, try number(told, environment) ?? count != count { throw .uneven(scheduler.index) }
    return ((index - first) / step + 1, count)
  }

  /// Nil where the variable is not set, or `undefined`, as Grid Engine has it outside of an array.
  private static func number(_ name: String, _ environment: Environment) throws(Fault) -> Int64? {
    guard let text = environment[name], !text.elementsEqual("undefined".utf8) else { return nil }
    guard let number = Int64(digits: text), number < Int64.max else { throw .notANumber(name, text) }
    return number
  }
}
