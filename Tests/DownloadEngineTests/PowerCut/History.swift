/// One property of a file or directory: what of it is on stable storage, and what the program has made of it since.
///
/// After a power cut it has any one of these values: the kernel may have written it back at any moment, or never.
struct History<Value> {
  private(set) var durable: Value
  /// Oldest first, each with the number of the call that made it.
  private(set) var pending: [(operation: Int, value: Value)] = []

  init(durable: Value) { self.durable = durable }

  /// What a program sees while the machine runs.
  var current: Value { pending.last?.value ?? durable }

  mutating func set(_ value: Value, _ operation: Int) { pending.append((operation, value)) }

  /// A sync has ended. What an earlier, failed one was to write may be marked clean and lost: it is not persisted by a
  /// later one unless something has been written over it.
  mutating func persist(lostUpTo lost: Int) {
    guard let last = pending.last, last.operation > lost else { return }
    durable = last.value
    pending = []
  }

  /// - Parameter index: 0 is the durable value, the last one the current.
  func value(_ index: Int) -> Value { index == 0 ? durable : pending[index - 1].value }
}

/// Which of the unsynced values live on after a power cut.
enum Survival: CustomStringConvertible {
  case nothing
  case everything
  /// All but what this call did.
  case allBut(operation: Int)
  /// Nothing but the first bytes of each block that this call has written.
  case tornOnly(operation: Int)
  /// Everything, but of the sidecars only the first bytes of what this call has written.
  case staleSidecars(operation: Int)
  /// Each on its own, drawn from a seed.
  case random(seed: UInt64)

  /// - Parameter key: tells the property; the same one always gets the same answer.
  /// - Returns: 0 for the durable value, up to the number of those pending.
  func index<Value>(_ history: History<Value>, key: UInt64) -> Int {
    let count = history.pending.count
    guard count > 0 else { return 0 }
    switch self {
    case .nothing: return 0
    case .everything, .staleSidecars: return count
    case .allBut(let operation): return history.pending[count - 1].operation == operation ? count - 1 : count
    case .tornOnly(let operation): return history.pending[count - 1].operation == operation ? count : 0
    case .random(let seed):
      let number = Self.mixed(seed &* 0x9e37_79b9_7f4a_7c15 ^ key)
      // By seed: evenly, most of it lost, or most of it there.
      switch seed % 3 {
      case 0: return Int(number % UInt64(count + 1))
      case 1: return number % 8 == 0 ? Int(number / 8 % UInt64(count)) + 1 : 0
      default: return number % 8 == 0 ? Int(number / 8 % UInt64(count)) : count
      }
    }
  }

  /// How much of a block, in units of 64 bytes, got to the disk before the power went; nil where it is whole. Not every
  /// device writes a sector whole or not at all.
  func tear(key: UInt64) -> Int? {
    if case .tornOnly = self { return 1 }
    guard case .random(let seed) = self else { return nil }
    let number = Self.mixed(seed ^ key ^ 0x7ea5)
    return number % 4 == 0 ? Int(number / 4 % 63) + 1 : nil
  }

  /// What it means for a file of this name.
  func onFile(_ name: String) -> Survival {
    if case .staleSidecars(let operation) = self, name.hasSuffix(".swiftget") { return .tornOnly(operation: operation) }
    return self
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var word = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  var description: String {
    switch self {
    case .nothing: "nothing unsynced survives"
    case .everything: "everything survives"
    case .allBut(let operation): "everything but call \(operation) survives"
    case .tornOnly(let operation): "nothing but the beginning of call \(operation) survives"
    case .staleSidecars(let operation): "of the sidecar only the beginning of call \(operation) survives"
    case .random(let seed): "a part survives, seed \(seed)"
    }
  }
}
