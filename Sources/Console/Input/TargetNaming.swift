package import DownloadCore

/// How a file is named: by `--output-template`, or if neither the command line nor its list names it.
package struct TargetNaming: Sendable, Equatable {
  /// Whether the directories of the URL are made below the target directory (`--force-directories`).
  package var makesDirectories = false
  /// Whether a directory with the name of the host is the first of them.
  package var makesHostDirectory = true
  /// The number of directories of the URL's path that are left out, from the first.
  package var cutDirectoryCount = 0

  /// Names every file, whatever its list says. The other properties mean nothing then.
  package var template: OutputTemplate?

  package init() {}

  /// The target's components before `TargetName.checked`.
  package func components(for location: Location) -> [[UInt8]] {
    directories(for: location) + [TargetName.fromURLPath(location.path)]
  }

  private func directories(for location: Location) -> [[UInt8]] {
    guard makesDirectories else { return [] }
    let directories = TargetName.directories(fromURLPath: location.path).dropFirst(cutDirectoryCount)
    return (makesHostDirectory ? [TargetName.directory(for: location.origin)] : []) + directories
  }
}
