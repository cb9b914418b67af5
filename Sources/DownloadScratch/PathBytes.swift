extension [UInt8] {
  /// Calls `body` with the path as a C string. A path has no NUL byte.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
    }
  }
}
