internal import DownloadCore
internal import Synchronization

/// Stands between DownloadFiles and the kernel in tests. Any thread may call it.
package protocol SystemCallInterceptor: Sendable {
  /// Makes the call, or pretends to.
  ///
  /// - Parameter body: makes the call, moving at most the given number of bytes where the call moves any.
  /// - Returns: what the call returned, or -errno.
  func perform(_ call: SystemCall, _ detail: CallDetail, _ body: (Int) -> Int) -> Int
}

/// Passes each system call to the interceptor where one is set. Otherwise the cost is one relaxed load.
package enum Interception {
  private static let isSet = Atomic<Bool>(false)
  private static let interceptor = Lock<(any SystemCallInterceptor)?>(nil)

  /// - Parameter new: sees the calls that begin from now on, on every thread; nil sets none.
  package static func set(_ new: (any SystemCallInterceptor)?) {
    interceptor.withLock { $0 = new }
    isSet.store(new != nil, ordering: .relaxed)
  }

  /// Makes a call that moves no bytes, or whose count is not limited.
  @inline(__always)
  static func perform(
    _ call: SystemCall, _ detail: @autoclosure () -> CallDetail, _ body: () -> Int
  ) throws(SystemCallError) -> Int {
    if isSet.load(ordering: .relaxed) { return try intercepted(call, detail()) { _ in body() } }
    return try checked(call, body())
  }

  /// Makes a call that moves `count` bytes at most; an interceptor may lower that.
  @inline(__always)
  static func performCounted(
    _ call: SystemCall, _ detail: @autoclosure () -> CallDetail, count: Int, _ body: (Int) -> Int
  ) throws(SystemCallError) -> Int {
    if isSet.load(ordering: .relaxed) { return try intercepted(call, detail()) { limit in body(min(count, limit)) } }
    return try checked(call, body(count))
  }

  private static func intercepted(
    _ call: SystemCall, _ detail: CallDetail, _ body: (Int) -> Int
  ) throws(SystemCallError) -> Int {
    // Another thread may have removed it since.
    guard let interceptor = interceptor.withLock({ $0 }) else { return try checked(call, body(.max)) }
    return try checked(call, interceptor.perform(call, detail, body))
  }

  @inline(__always)
  private static func checked(_ call: SystemCall, _ result: Int) throws(SystemCallError) -> Int {
    if result < 0 { throw SystemCallError(call, Int32(truncatingIfNeeded: -result)) }
    return result
  }
}

/// The arguments of a call, for an interceptor; those that the call does not have keep their defaults.
package struct CallDetail {
  package let descriptor: Int32
  /// For the attribute calls the attribute's name.
  package let path: [UInt8]?
  package let newDescriptor: Int32
  package let newPath: [UInt8]?
  package let flags: Int32
  package let offset: Int64
  package let length: Int64
  package let mode: UInt32
  /// The bytes to be written, or the attribute's value.
  package let bytes: [UInt8]

  init(
    _ descriptor: Int32, _ path: [UInt8]? = nil, _ newDescriptor: Int32 = -1, _ newPath: [UInt8]? = nil,
    flags: Int32 = 0, offset: Int64 = 0, length: Int64 = 0, mode: UInt32 = 0, value: [UInt8] = []
  ) {
    self.descriptor = descriptor
    self.path = path
    self.newDescriptor = newDescriptor
    self.newPath = newPath
    self.flags = flags
    self.offset = offset
    self.length = length
    self.mode = mode
    bytes = value
  }

  init(_ descriptor: Int32, writing bytes: UnsafeRawBufferPointer, at offset: Int64) {
    self.init(descriptor, offset: offset, length: Int64(bytes.count), value: Array(bytes))
  }
}
