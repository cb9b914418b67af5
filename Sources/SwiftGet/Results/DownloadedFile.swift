/// A file that is whole, in its place and on stable storage.
public struct DownloadedFile: Hashable, Sendable, CustomStringConvertible {
  struct Fields: Hashable, Sendable {
    var pathBytes: [UInt8]
    var size: Int64
    var verified: StatedChecksum?
    var wasKept: Bool
  }

  private let fields: Boxed<Fields>

  init(_ fields: Fields) { self.fields = Boxed(fields) }

  /// The same file under another path.
  func renamed(_ path: [UInt8]) -> DownloadedFile {
    var fields = fields.value
    fields.pathBytes = path
    return DownloadedFile(fields)
  }

  /// Absolute. What is not UTF-8 in it is replaced; `pathBytes` is exact.
  public var path: String { String(decoding: fields.value.pathBytes, as: UTF8.self) }
  /// Absolute, as the file system has it.
  public var pathBytes: [UInt8] { fields.value.pathBytes }
  /// Bytes.
  public var size: Int64 { fields.value.size }
  /// The checksum that the content matches, and whose word it is; nil if only its length was known.
  public var verified: StatedChecksum? { fields.value.verified }
  /// Whether it was there before, and right, so that nothing was fetched.
  public var wasKept: Bool { fields.value.wasKept }
  /// The path.
  public var description: String { path }
}
