package import DownloadCore

/// Identifies a task for life. No other task ever has it.
public struct DownloadTaskID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  package let number: TaskID

  init(_ number: TaskID) { self.number = number }

  /// - Parameter text: 16 hexadecimal digits, as `description` has them; nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 16, let number = UInt64(text, radix: 16), text.first != "+" else { return nil }
    self.init(TaskID(number))
  }

  /// 16 hexadecimal digits.
  public var description: String {
    let digits = String(number.number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Tasks that were added later have greater ids.
  public static func < (left: DownloadTaskID, right: DownloadTaskID) -> Bool { left.number < right.number }
}
