internal import DownloadWords

/// How far a file is, or several together.
public struct DownloadProgress: Hashable, Sendable, CustomStringConvertible {
  /// Bytes that are there, those of earlier runs and of files that were kept included.
  public internal(set) var bytes: Int64 = 0
  /// Bytes of the whole; nil while a size is unknown.
  public internal(set) var totalBytes: Int64?
  /// Bytes a second over the last seconds; nil while nothing is received. Bytes of earlier runs do not count.
  public internal(set) var bytesPerSecond: Int64?

  /// In 0...1; nil while a size is unknown. It is 1 if there is nothing to be received.
  public var fraction: Double? {
    totalBytes.map { $0 <= 0 ? 1 : min(1, Double(bytes) / Double($0)) }
  }

  /// The time that is left at the present rate; nil while it cannot be told.
  public var timeLeft: Duration? {
    guard let totalBytes, let rate = bytesPerSecond, rate > 0, totalBytes >= bytes else { return nil }
    return .seconds(Double(totalBytes - bytes) / Double(rate))
  }

  /// `1.2 GiB of 4.5 GiB, 34 MiB/s, 1:37 left`, in the words of the command.
  public var description: String {
    var text = Humanized.size(bytes)
    if let totalBytes { text += " of \(Humanized.size(totalBytes))" }
    if let bytesPerSecond { text += ", \(Humanized.size(bytesPerSecond))/s" }
    if let timeLeft { text += ", \(Humanized.timeLeft(timeLeft)) left" }
    return text
  }
}
