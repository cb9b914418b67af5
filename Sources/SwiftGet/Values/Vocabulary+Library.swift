internal import DownloadCore

extension Vocabulary {
  /// The properties of `DownloadList`, `DownloadRequest` and `DownloadSettings`. What has none keeps its name here.
  static let library = Vocabulary { setting, value in
    let name =
      switch setting {
      case .acceptStatus: "acceptedStatuses"
      case .allowAbsolute: "allowsAbsolutePaths"
      case .basename: "takesBaseNames"
      case .cacert: "caFile"
      case .checksum: "checksums"
      case .dir: "directory"
      case .inputFile: "list"
      case .inputFormat: "format"
      case .jobs: "activeFiles"
      case .mirror: "urls"
      case .netrc: "netrcFile"
      case .output: "name"
      case .outputTemplate: "nameTemplate"
      case .stripComponents: "strippedComponents"
      case .user: "credential"
      case .verifySignature: "verificationKeys"
      default: setting.rawValue
      }
    return value.map { "\(name) \($0)" } ?? name
  }
}
