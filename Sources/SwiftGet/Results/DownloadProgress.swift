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

  /// `1.2 GB of 4.5 GB, 34 MB/s, 97 s left`.
  public var description: String {
    var text = Self.size(bytes)
    if let totalBytes { text += " of \(Self.size(totalBytes))" }
    if let bytesPerSecond { text += ", \(Self.size(bytesPerSecond))/s" }
    if let timeLeft { text += ", \(timeLeft.components.seconds) s left" }
    return text
  }

  /// Decimal units, two significant digits at least.
  static func size(_ byteCount: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var (value, unit) = (Double(max(0, byteCount)), 0)
    while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    if unit == 0 || value >= 9.95 { return "\(Int64(value.rounded())) \(units[unit])" }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
