package import DownloadMetalink

/// A list of the command line.
package struct ReadList: Sendable, Equatable {
  /// As messages show it.
  package var name: String
  /// What a Metalink says of itself; nil for another list.
  package var origin: MetalinkOrigin?

  package init(name: String, origin: MetalinkOrigin? = nil) {
    self.name = name
    self.origin = origin
  }
}
