package import DownloadCore
internal import DownloadScratch

/// The absolute paths of targets, and their hashes, which the record of a set keeps.
package struct TargetPaths: Sendable {
  /// The directory of the run, absolute.
  let directory: [UInt8]
  /// The hash of `directory`, which `key` continues.
  private let directoryKey: UInt64

  private static let slash = UInt8(ascii: "/")

  package init(_ naming: NamingOptions = NamingOptions()) {
    directory = AbsolutePath.of(directory: naming.directory ?? [])
    directoryKey = StableHash.fnv1a(AbsolutePath.cleaned(directory))
  }

  /// The hash of the target's path. Listed components are clean already, so their path is not built. Requests that the
  /// server names differ by their URLs.
  package func key(of request: FileRequest) -> UInt64 {
    guard case .listed(let components) = request.target, !request.isNamedByAnswer else {
      return StableHash.fnv1a(path(of: request))
    }
    return components.reduce(directoryKey) { key, component in
      StableHash.fnv1a(component, continuing: StableHash.fnv1a("/", continuing: key))
    }
  }

  /// - Parameter name: relative to the directory of the run, and clean.
  package func key(ofName name: UnsafeRawBufferPointer) -> UInt64 {
    StableHash.fnv1a(name, continuing: StableHash.fnv1a("/", continuing: directoryKey))
  }

  /// Without empty and `.` components, so that `dir=/srv` and `-d /srv` are equal. For a request that the server names, the
  /// URL stands behind it.
  func path(of request: FileRequest) -> [UInt8] {
    let name = request.target.name
    if request.target.isStream { return name }
    let path = AbsolutePath.cleaned(name.first == Self.slash ? name : directory + CollectionOfOne(Self.slash) + name)
    return request.isNamedByAnswer ? path + [0] + Array(request.mirrors[0].location.text.utf8) : path
  }
}
