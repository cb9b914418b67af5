internal import DownloadCore
internal import DownloadScratch

/// Where the files of a run go, and what they are called.
package struct NamingOptions: Sendable, Equatable {
  /// Nil is the working directory.
  package var directory: [UInt8]?
  /// The path of the file, `-` for standard output. Valid with exactly one URL only.
  package var output: [UInt8]?
  /// Whether the directories of the URL are made below the target directory, for a file that neither the command line nor
  /// its list names (`--force-directories`).
  package var makesDirectories = false
  /// Whether a directory with the name of the host is the first of them.
  package var makesHostDirectory = true
  /// The number of directories of the URL's path that are left out, from the first.
  package var cutDirectoryCount = 0
  /// Names every file, whatever its list says. The properties about directories mean nothing then.
  package var template: OutputTemplate?
  /// Leading directories of names in lists that are left out.
  package var strippedComponentCount = 0
  /// Whether names in lists that lead below a base URL count without their directories, in URLs too (`--basename`).
  package var takesBaseNames = false
  /// Whether any list may name places outside of the directory of the run (`--allow-absolute`).
  package var allowsAbsolute = false
  /// Whether the files appear together, when all are there (`--atomic`).
  package var isAtomic = false
  /// Whether a set leaves out what earlier ones had and its list has no more.
  package var prunes = false

  package init() {}

  /// The target's components before `TargetName.checked`, for a file that has no other name.
  func components(for location: Location) -> [[UInt8]] {
    directories(for: location) + [TargetName.fromURLPath(location.path)]
  }

  private func directories(for location: Location) -> [[UInt8]] {
    guard makesDirectories else { return [] }
    let directories = TargetName.directories(fromURLPath: location.path).dropFirst(cutDirectoryCount)
    return (makesHostDirectory ? [TargetName.directory(for: location.origin)] : []) + directories
  }

  /// Whether the content goes to standard output, which nothing else may use then.
  package var writesToStandardOutput: Bool {
    output.map { $0 == Array("-".utf8) || $0 == Array("/dev/stdout".utf8) } ?? false
  }

  /// The absolute path that names are relative to, without a slash at its end; nil if the content goes to standard output.
  package var targetDirectory: [UInt8]? {
    writesToStandardOutput ? nil : AbsolutePath.of(directory: directory ?? [])
  }
}
