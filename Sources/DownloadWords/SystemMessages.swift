internal import CSwiftGetShims

/// The system's words.
package enum SystemMessages {
  /// The longest message of glibc has about 50 bytes.
  private static let capacity = 256

  /// `No space left on device`, for a number as in errno(3).
  package static func reason(_ errno: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      guard let base = buffer.baseAddress, let text = file_error_text(errno, base, capacity) else {
        return "error \(errno)"
      }
      return String(cString: text)
    }
  }
}
