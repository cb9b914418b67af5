/// Parts of a request.
public struct DownloadDifferences: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// The group.
  public static let group = DownloadDifferences(rawValue: 1)
  /// The priority.
  public static let priority = DownloadDifferences(rawValue: 2)
  /// The settings.
  public static let settings = DownloadDifferences(rawValue: 4)
  /// The caller's own data.
  public static let info = DownloadDifferences(rawValue: 8)

  /// - Parameter rawValue: the bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}
