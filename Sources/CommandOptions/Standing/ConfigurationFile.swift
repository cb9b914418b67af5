internal import DownloadCore
internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// Which configuration file is read.
enum ConfigurationChoice: Equatable {
  case usual
  case named([UInt8])
  case none
  /// The command line asks for help or the like, which must be given whatever is wrong elsewhere.
  case useless
}

/// The text of the configuration file.
struct ConfigurationFile {
  let place: ConfigurationPlace
  let text: [UInt8]
  /// Whether others than the owner may read it.
  let isExposed: Bool

  private static let mostBytes = 1 << 20

  enum ConfigurationReading {
    case none
    case file(ConfigurationFile)
    /// The file at the usual place cannot be read, which is told.
    case unreadable(Diagnostic)
  }

  /// - Parameter inputs: note the file.
  /// - Throws: why a file that the command line names cannot be read. One that nobody names may be missing, or in a place
  ///   that the user may not look into.
  package static func read(
    _ choice: ConfigurationChoice, _ environment: Environment, notedIn inputs: DecidingInputs
  ) throws(Failure) -> ConfigurationReading {
    switch choice {
    case .none, .useless: return .none
    case .named(let path):
      let path = try OptionArgument(spelling: "--config", bytes: path, isGiven: true).path()
      do throws(SmallFiles.Fault) {
        return .file(try read(ConfigurationPlace(path: path, isNamed: true), inputs))
      } catch {
        throw Self.error(error, path)
      }
    case .usual:
      guard let path = usualPath(environment) else { return .none }
      do throws(SmallFiles.Fault) {
        return .file(try read(ConfigurationPlace(path: path, isNamed: false), inputs))
      } catch {
        switch error {
        case .failed(ENOENT), .failed(ENOTDIR): return .none
        case .failed(let errno): return .unreadable(unreadable(path, errno))
        case .tooLong: throw Self.error(error, path)
        }
      }
    }
  }

  /// The options that a session keeps; nil if there is no such file.
  static func read(ofSession path: [UInt8], notedIn inputs: DecidingInputs) throws(Failure) -> ConfigurationFile? {
    do throws(SmallFiles.Fault) {
      return try read(ConfigurationPlace(path: path, isNamed: false), inputs)
    } catch {
      if case .failed(ENOENT) = error { return nil }
      throw Self.error(error, path, of: "--session")
    }
  }

  private static func error(_ failure: SmallFiles.Fault, _ path: [UInt8], of option: String = "--config") -> Failure {
    switch failure {
    case .failed(let errno): NamedFiles.failure(.read, path, of: Phrase(option), errno)
    case .tooLong:
      Failure(
        .usage, "\(NamedFiles.shown(path)) has more than \(mostBytes) bytes, and is no configuration",
        hint: "check that this is the right file" + (option == "--config" ? "; --no-config reads none" : ""))
    }
  }

  private static func unreadable(_ path: [UInt8], _ errno: Int32) -> Diagnostic {
    Diagnostic(
      message:
        "warning: no configuration is used: cannot read \(NamedFiles.shown(path)): \(SystemMessages.reason(errno))",
      hint: "correct its permissions, or use --no-config, or --config FILE")
  }

  /// Nil without a home. A path that is not absolute is ignored (XDG Base Directory Specification).
  static func usualPath(_ environment: Environment) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    if let directory = environment["XDG_CONFIG_HOME"], directory.first == slash {
      return directory + Array("/swiftget/config".utf8)
    }
    return environment["HOME"].flatMap { $0.first == slash ? $0 + Array("/.config/swiftget/config".utf8) : nil }
  }

  private static func read(
    _ place: ConfigurationPlace, _ inputs: DecidingInputs
  ) throws(SmallFiles.Fault) -> ConfigurationFile {
    let path = place.path
    let text = try SmallFiles.read(path, notedIn: inputs, mostBytes: mostBytes)
    let isExposed = stat(of: path).map { $0.st_mode & (S_IRGRP | S_IROTH) != 0 } ?? false
    return ConfigurationFile(place: place, text: text, isExposed: isExposed)
  }
}
