internal import DownloadCore
internal import FileStore

/// File systems that were found to be full during the run, and the items that did not begin because of that.
struct FullFileSystems {
  private var devices: Set<UInt64> = []
  /// What the first item that met one failed with.
  private(set) var error: DownloadError?
  /// Requests that did not begin, as many as are named one by one.
  private(set) var unbegun: [DownloadRequest] = []

  /// The number of never-begun items that are named one by one.
  static let mostNamed = 20

  /// - Parameter directory: on the full file system; nil where a stream goes to it, which no other item does.
  mutating func add(_ directory: DirectoryHandle?, _ error: DownloadError) {
    if let device = try? directory?.device { devices.insert(device) }
    if self.error == nil { self.error = error }
  }

  func contains(_ place: TargetPlace) -> Bool {
    guard !devices.isEmpty, let device = try? place.directory.device else { return false }
    return devices.contains(device)
  }

  /// Notes a request whose item does not begin.
  mutating func leave(_ request: DownloadRequest) {
    if unbegun.count < Self.mostNamed { unbegun.append(request) }
  }
}
