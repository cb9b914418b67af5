internal import CShims
internal import Glibc
internal import Synchronization

/// One failure to be injected below FileStore; only tests make any.
package struct Fault: Sendable {
  package enum Effect: Sendable, Equatable {
    /// The call is not made and fails with this errno.
    case failure(Int32)
    /// The call moves at most so many bytes (reads and writes only).
    case short(Int)
  }

  package var call: SystemCall
  /// Counted from 1, among the calls of this kind that the rule sees.
  package var number: Int
  /// Whether later calls of the kind are hit too.
  package var persists: Bool
  package var effect: Effect

  package init(_ call: SystemCall, number: Int = 1, persists: Bool = false, _ effect: Effect) {
    self.call = call
    self.number = number
    self.persists = persists
    self.effect = effect
  }
}

/// One call that went through `SystemCalls` while a recorder was there, in the order made.
package struct RecordedCall: Sendable, Equatable {
  package var call: SystemCall
  /// The file's name as it was opened, `/`-joined below the first directory seen; `unnamed-N` for O_TMPFILE.
  package var file: String
  /// The new name of renameat and linkat.
  package var newName: String?
  package var offset: Int64
  package var length: Int64
  /// What pwrite and write were given, cut to what the kernel took.
  package var bytes: [UInt8]
  /// What the call returned, or -errno.
  package var result: Int
}

/// What a call was asked, for the recorder.
struct CallDetail {
  var descriptor: Int32
  var path: [UInt8]?
  var newDescriptor: Int32 = -1
  var newPath: [UInt8]?
  var flags: Int32 = 0
  var offset: Int64 = 0
  var length: Int64 = 0
  var bytes: [UInt8] = []

  init(_ descriptor: Int32, _ path: [UInt8]? = nil, flags: Int32 = 0) {
    self.descriptor = descriptor
    self.path = path
    self.flags = flags
  }

  init(_ descriptor: Int32, _ path: [UInt8], _ newDescriptor: Int32, _ newPath: [UInt8], flags: Int32) {
    self.init(descriptor, path, flags: flags)
    self.newDescriptor = newDescriptor
    self.newPath = newPath
  }

  init(_ descriptor: Int32, offset: Int64 = 0, length: Int64) {
    self.init(descriptor)
    self.offset = offset
    self.length = length
  }

  init(_ descriptor: Int32, writing bytes: UnsafeRawBufferPointer, at offset: Int64) {
    self.init(descriptor, offset: offset, length: Int64(bytes.count))
    self.bytes = Array(bytes)
  }
}

/// Faults and the recorder under `SystemCalls`: off in every program, armed by tests for the length of a closure.
///
/// Both see the calls of the thread that armed them, or of every thread where `everyThread` says so, which only a
/// test that has the process to itself may use. Off, each system call costs one relaxed load.
package enum FaultTable {
  fileprivate struct Rule {
    var fault: Fault
    var seen = 0
    /// nil: every thread.
    var thread: Int?
    var scope: Int
  }

  fileprivate struct Recording {
    var thread: Int?
    var scope: Int
    var calls: [RecordedCall] = []
    var names: [Int32: String] = [:]
    var unnamedCount = 0
  }

  fileprivate struct State {
    var rules: [Rule] = []
    var recordings: [Recording] = []
    var nextScope = 0
  }

  private static let armedCount = Atomic<Int>(0)
  private static let state = Mutex(State())

  static var isArmed: Bool { armedCount.load(ordering: .relaxed) != 0 }

  /// Runs `body` with these faults below it.
  package static func withFaults<Value>(
    _ faults: [Fault], everyThread: Bool = false, _ body: () throws -> Value
  ) rethrows -> Value {
    let thread = everyThread ? nil : file_thread()
    let scope = state.withLock { state in
      state.nextScope += 1
      let scope = state.nextScope
      state.rules += faults.map { Rule(fault: $0, thread: thread, scope: scope) }
      return scope
    }
    armedCount.add(1, ordering: .relaxed)
    defer {
      armedCount.subtract(1, ordering: .relaxed)
      state.withLock { $0.rules.removeAll { $0.scope == scope } }
    }
    return try body()
  }

  /// Runs `body` and returns the calls it made, failed ones included, in order.
  package static func recording(everyThread: Bool = false, _ body: () throws -> Void) rethrows -> [RecordedCall] {
    let thread = everyThread ? nil : file_thread()
    let scope = state.withLock { state in
      state.nextScope += 1
      let scope = state.nextScope
      state.recordings.append(Recording(thread: thread, scope: scope))
      return scope
    }
    armedCount.add(1, ordering: .relaxed)
    func finish() -> [RecordedCall] {
      armedCount.subtract(1, ordering: .relaxed)
      return state.withLock { state in
        let index = state.recordings.firstIndex { $0.scope == scope }
        return index.map { state.recordings.remove(at: $0).calls } ?? []
      }
    }
    do { try body() } catch {
      _ = finish()
      throw error
    }
    return finish()
  }

  /// Makes the call, or not, as the rules say. `body` gets the most bytes it may move.
  static func perform(
    _ call: SystemCall, _ detail: CallDetail, _ body: (Int) -> Int
  ) throws(SystemCallError) -> Int {
    let thread = file_thread()
    let effect = state.withLock { state -> Fault.Effect? in
      var found: Fault.Effect?
      for index in state.rules.indices {
        let rule = state.rules[index]
        guard rule.fault.call == call, rule.thread == nil || rule.thread == thread else { continue }
        state.rules[index].seen += 1
        let number = rule.seen + 1
        if number == rule.fault.number || (rule.fault.persists && number > rule.fault.number) {
          found = found ?? rule.fault.effect
        }
      }
      return found
    }
    let result =
      switch effect {
      case .failure(let errno): -Int(errno)
      case .short(let count): body(count)
      case nil: body(.max)
      }
    // A close that was made to fail must still close, or the test leaks its descriptor.
    if call == .close, case .failure = effect { _ = body(.max) }
    state.withLock { state in
      for index in state.recordings.indices {
        let owner = state.recordings[index].thread
        if owner == nil || owner == thread { state.recordings[index].record(call, detail, result) }
      }
    }
    if result < 0 { throw SystemCallError(call, Int32(truncatingIfNeeded: -result)) }
    return result
  }
}

extension FaultTable.Recording {
  /// The `/`-joined name of `path` below what the directory descriptor was opened as.
  private func name(_ descriptor: Int32, _ path: [UInt8]?) -> String {
    let base = names[descriptor] ?? (descriptor == AT_FDCWD ? "" : "descriptor-\(descriptor)")
    guard let path else { return base }
    let text = String(decoding: path, as: UTF8.self)
    return base.isEmpty || text.hasPrefix("/") ? text : base + "/" + text
  }

  fileprivate mutating func record(_ call: SystemCall, _ detail: CallDetail, _ result: Int) {
    let pathNamesTheFile = call != .fsetxattr && call != .fgetxattr
    var entry = RecordedCall(
      call: call, file: name(detail.descriptor, pathNamesTheFile ? detail.path : nil), newName: nil,
      offset: detail.offset, length: detail.length,
      bytes: result >= 0 ? Array(detail.bytes.prefix(result)) : [], result: result)
    if let newPath = detail.newPath { entry.newName = name(detail.newDescriptor, newPath) }
    if call == .openat, result >= 0 {
      if detail.flags & FILE_O_TMPFILE == FILE_O_TMPFILE {
        unnamedCount += 1
        entry.file = "unnamed-\(unnamedCount)"
      }
      names[Int32(truncatingIfNeeded: result)] = entry.file
    }
    calls.append(entry)
    if call == .close { names[detail.descriptor] = nil }
  }
}
