import DownloadCore
import Glibc

/// Which configuration file is read.
enum ConfigurationChoice: Equatable {
  case usual
  case named([UInt8])
  case none
  /// The command line asks for help or the like, which must be given whatever is wrong elsewhere.
  case useless
}

/// The path of a configuration file.
package struct ConfigurationPlace: Sendable, Equatable {
  let path: [UInt8]
  /// Whether `--config` names it.
  let isNamed: Bool
}

/// The text of the configuration file.
struct ConfigurationFile {
  let place: ConfigurationPlace
  let text: [UInt8]
  /// Whether others than the owner may read it.
  let isExposed: Bool

  private static let mostBytes = 1 << 20

  /// - Returns: nil where there is none: only a file that the command line names must exist.
  static func read(
    _ choice: ConfigurationChoice, _ environment: Environment
  ) throws(DownloadError) -> ConfigurationFile? {
    switch choice {
    case .none, .useless: return nil
    case .named(let path):
      let path = try OptionArgument(spelling: "--config", bytes: path, isGiven: true).path()
      if let file = try read(ConfigurationPlace(path: path, isNamed: true)) { return file }
      throw NamedFiles.failure(.read, path, of: "--config", ENOENT)
    case .usual:
      guard let path = usualPath(environment) else { return nil }
      return try read(ConfigurationPlace(path: path, isNamed: false))
    }
  }

  /// Nil without a home. A path that is not absolute is ignored (XDG Base Directory Specification).
  static func usualPath(_ environment: Environment) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    if let directory = environment["XDG_CONFIG_HOME"], directory.first == slash {
      return directory + Array("/swiftget/config".utf8)
    }
    return environment["HOME"].flatMap { $0.first == slash ? $0 + Array("/.config/swiftget/config".utf8) : nil }
  }

  private static func read(_ place: ConfigurationPlace) throws(DownloadError) -> ConfigurationFile? {
    let path = place.path
    guard let text = try SmallFiles.readIfPresent(path, of: "--config", mostBytes: mostBytes) else { return nil }
    var status = stat()
    let isExposed = path.withCString { stat($0, &status) } == 0 && status.st_mode & (S_IRGRP | S_IROTH) != 0
    return ConfigurationFile(place: place, text: text, isExposed: isExposed)
  }
}
