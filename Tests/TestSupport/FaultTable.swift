internal import CSwiftGetShims
package import DownloadCore
package import DownloadFiles
internal import Glibc

/// One failure to be injected below DownloadFiles.
package struct Fault: Sendable {
  package enum Effect: Sendable, Equatable {
    /// The call is not made and fails with this errno.
    case failure(Int32)
    /// The call moves at most this many bytes (reads and writes only).
    case short(Int)
    /// The call is made this many milliseconds late, as on a slow disk.
    case late(UInt32)
  }

  package var call: SystemCall
  /// Calls on other files than those below this directory do not count. With it, those of every thread do.
  package var directory: String?
  /// Calls without these flags do not count; 0 for all.
  package var flags: Int32
  /// Calls count once those of this kind have written this many bytes, as on a device with that much space.
  package var byteCount: Int
  /// The number of the call among those that count, from 1.
  package var number: Int
  /// Whether later calls of this kind fail, too.
  package var persists: Bool
  package var effect: Effect

  package init(
    _ call: SystemCall, below directory: String? = nil, flags: Int32 = 0, byteCount: Int = 0, number: Int = 1,
    persists: Bool = false,
    _ effect: Effect
  ) {
    self.call = call
    self.directory = directory
    self.flags = flags
    self.byteCount = byteCount
    self.number = number
    self.persists = persists
    self.effect = effect
  }
}

/// One recorded call.
package struct RecordedCall: Sendable, Equatable {
  package var call: SystemCall
  /// The file's name as it was opened, `/`-joined below the first directory seen; `unnamed-N` for O_TMPFILE.
  package var file: String
  /// The new name of renameat and linkat.
  package var newName: String?
  package var offset: Int64
  package var length: Int64
  /// The bytes that pwrite and write wrote; the value of fsetxattr.
  package var bytes: [UInt8]
  /// The result of the call, or -errno.
  package var result: Int
  /// The file behind the descriptor, the one behind a path of /proc, or the directory in which a name is looked up; nil
  /// for the working directory.
  package var subject: FileIdentity?
  /// The file that openat opened, or the directory in which renameat and linkat put the new name.
  package var object: FileIdentity?
  /// The names as given; for the attribute calls the attribute's name.
  package var path: [UInt8] = []
  package var newPath: [UInt8] = []
  package var flags: Int32 = 0
  package var mode: UInt32 = 0
  /// The modification time after futimens.
  package var modified: FileTime?
}

/// Identifies a file independently of its names, as long as it exists.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  /// Nil where the descriptor is not open.
  init?(descriptor: Int32) {
    guard let status = file_status(descriptor: descriptor) else { return nil }
    device = status.device
    inode = status.inode
  }
}

extension file_status {
  fileprivate init?(descriptor: Int32) {
    self.init()
    if descriptor < 0 || file_fstat(descriptor, &self) < 0 { return nil }
  }

  fileprivate var modified: FileTime { FileTime(seconds: modified_seconds, nanoseconds: modified_nanoseconds) }
}

extension CallDetail {
  /// The descriptor that a path below /proc refers to.
  fileprivate var linkedDescriptor: Int32? {
    let prefix = Array("/proc/self/fd/".utf8)
    guard newPath != nil, let path, path.starts(with: prefix) else { return nil }
    return Int32(String(decoding: path.dropFirst(prefix.count), as: UTF8.self))
  }
}

/// Injects faults into DownloadFiles's system calls, and records the calls, while a closure runs.
///
/// Both see the calls of the thread that runs the closure, or of every thread where `everyThread` says so; only a test
/// that has the process to itself may use that.
package enum FaultTable {
  fileprivate struct Rule {
    var fault: Fault
    var seen = 0
    var writtenByteCount = 0
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
    /// Closures that are running; the interceptor is set as long as there are any.
    var armedCount = 0
  }

  private static let state = Lock(State())
  /// Held during a recorded call, so that the order of the record is the order of the calls.
  private static let order = Lock(())

  private struct Interceptor: SystemCallInterceptor {
    func perform(_ call: SystemCall, _ detail: CallDetail, _ body: (Int) -> Int) -> Int {
      FaultTable.perform(call, detail, body)
    }
  }

  /// Adds to the table.
  /// - Returns: the scope that `disarm` ends.
  private static func arm(_ add: (inout State, Int) -> Void) -> Int {
    state.withLock { state in
      state.nextScope += 1
      state.armedCount += 1
      add(&state, state.nextScope)
      if state.armedCount == 1 { Interception.set(Interceptor()) }
      return state.nextScope
    }
  }

  /// Takes out what `arm` added.
  /// - Returns: the calls recorded in that scope.
  private static func disarm(_ scope: Int) -> [RecordedCall] {
    state.withLock { state in
      state.armedCount -= 1
      if state.armedCount == 0 { Interception.set(nil) }
      state.rules.removeAll { $0.scope == scope }
      let index = state.recordings.firstIndex { $0.scope == scope }
      return index.map { state.recordings.remove(at: $0).calls } ?? []
    }
  }

  /// Runs `body` with these faults.
  package static func withFaults<Value>(
    _ faults: [Fault], everyThread: Bool = false, _ body: () throws -> Value
  ) rethrows -> Value {
    let thread = everyThread ? nil : file_thread()
    let scope = arm { state, scope in
      state.rules += faults.map { Rule(fault: $0, thread: thread, scope: scope) }
    }
    defer { _ = disarm(scope) }
    return try body()
  }

  /// As the other one, for faults below directories.
  package static func withFaults<Value>(
    _ faults: [Fault], isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async rethrows -> Value {
    let scope = arm { state, scope in
      state.rules += faults.map { Rule(fault: $0, thread: nil, scope: scope) }
    }
    defer { _ = disarm(scope) }
    return try await body()
  }

  /// Runs `body` and returns its calls in order, including failed ones.
  package static func recording(everyThread: Bool = false, _ body: () throws -> Void) rethrows -> [RecordedCall] {
    let thread = everyThread ? nil : file_thread()
    let scope = arm { state, scope in state.recordings.append(Recording(thread: thread, scope: scope)) }
    do { try body() } catch {
      _ = disarm(scope)
      throw error
    }
    return disarm(scope)
  }

  /// Applies the rules to a call. The argument of `body` is the most bytes that it may move.
  private static func perform(_ call: SystemCall, _ detail: CallDetail, _ body: (Int) -> Int) -> Int {
    let thread = file_thread()
    let effect = state.withLock { state -> Fault.Effect? in
      var found: Fault.Effect?
      for index in state.rules.indices {
        let rule = state.rules[index]
        guard rule.fault.call == call, detail.flags & rule.fault.flags == rule.fault.flags,
          rule.thread == nil || rule.thread == thread || rule.fault.directory != nil,
          rule.fault.directory.map({ isFile(detail.descriptor, below: $0) }) ?? true
        else { continue }
        guard rule.writtenByteCount + detail.bytes.count > rule.fault.byteCount || rule.fault.byteCount == 0 else {
          state.rules[index].writtenByteCount += detail.bytes.count
          continue
        }
        state.rules[index].seen += 1
        let number = rule.seen + 1
        if number == rule.fault.number || (rule.fault.persists && number > rule.fault.number) {
          found = found ?? rule.fault.effect
        }
      }
      return found
    }
    let isRecorded = state.withLock { state in state.recordings.contains { $0.sees(thread) } }
    guard isRecorded else { return outcome(call, effect, body) }
    // These two may block until another thread makes a call.
    guard call != .poll, call != .write else {
      return recorded(call, detail, thread) { outcome(call, effect, body) }
    }
    return order.withLock { _ in recorded(call, detail, thread) { outcome(call, effect, body) } }
  }

  private static func isFile(_ descriptor: Int32, below directory: String) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    return count > 0 && buffer[..<count].starts(with: (directory + "/").utf8)
  }

  private static func outcome(_ call: SystemCall, _ effect: Fault.Effect?, _ body: (Int) -> Int) -> Int {
    // A close that fails must still close, or the test leaks the descriptor.
    if call == .close, case .failure = effect { _ = body(.max) }
    switch effect {
    case .failure(let errno): return -Int(errno)
    case .short(let count): return body(count)
    case .late(let milliseconds):
      usleep(milliseconds * 1000)
      return body(.max)
    case nil: return body(.max)
    }
  }

  private static func recorded(_ call: SystemCall, _ detail: CallDetail, _ thread: Int, _ body: () -> Int) -> Int {
    let subject = FileIdentity(descriptor: detail.linkedDescriptor ?? detail.descriptor)
    let result = body()
    let opened = call == .openat ? Int32(truncatingIfNeeded: result) : detail.newDescriptor
    let object = FileIdentity(descriptor: opened)
    let modified = call == .futimens ? file_status(descriptor: detail.descriptor)?.modified : nil
    state.withLock { state in
      for index in state.recordings.indices where state.recordings[index].sees(thread) {
        state.recordings[index].record(call, detail, result, subject, object, modified)
      }
    }
    return result
  }
}

extension FaultTable.Recording {
  fileprivate func sees(_ thread: Int) -> Bool { self.thread == nil || self.thread == thread }

  /// The `/`-joined name of `path` below what the directory descriptor was opened as.
  private func name(_ descriptor: Int32, _ path: [UInt8]?) -> String {
    let base = names[descriptor] ?? (descriptor == AT_FDCWD ? "" : "descriptor-\(descriptor)")
    guard let path else { return base }
    let text = String(decoding: path, as: UTF8.self)
    return base.isEmpty || text.hasPrefix("/") ? text : base + "/" + text
  }

  fileprivate mutating func record(
    _ call: SystemCall, _ detail: CallDetail, _ result: Int, _ subject: FileIdentity?, _ object: FileIdentity?,
    _ modified: FileTime?
  ) {
    let pathNamesTheFile = call != .fsetxattr && call != .fgetxattr
    var entry = RecordedCall(
      call: call, file: name(detail.descriptor, pathNamesTheFile ? detail.path : nil), newName: nil,
      offset: detail.offset, length: detail.length,
      bytes: result < 0 ? [] : call == .fsetxattr ? detail.bytes : Array(detail.bytes.prefix(result)), result: result,
      subject: subject, object: object, path: detail.path ?? [], newPath: detail.newPath ?? [], flags: detail.flags,
      mode: detail.mode, modified: modified)
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
