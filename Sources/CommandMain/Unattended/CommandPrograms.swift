internal import CommandOptions
internal import DownloadCore
internal import DownloadEvents
internal import DownloadWords
internal import Glibc

/// The programs of the commands that the user gives.
enum CommandPrograms {
  /// Finds out before the run whether they are there, or a run of hours would end without its hook.
  ///
  /// - Throws: a usage error for the first one that is missing or cannot be executed.
  static func check(_ invocation: Invocation) throws(Failure) {
    if let command = invocation.settings.target.verifyCommand {
      try check(command.placed.program, of: "--verify-command")
    }
    let hooks = invocation.unattended.hooks.merging(invocation.unattended.hooksOfTasks) { $1 }
    for (event, command) in hooks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try check(command.words[0], of: event.setting.option.name)
    }
  }

  private static func check(_ program: [UInt8], of option: String) throws(Failure) {
    let directories = searched(for: program)
    var error = ENOENT
    for directory in directories {
      let path = directory.isEmpty ? program : directory + [UInt8(ascii: "/")] + program
      let found = (path + [0]).withUnsafeBytes { bytes in
        access(bytes.bindMemory(to: CChar.self).baseAddress!, X_OK) == 0 ? 0 : errno
      }
      if found == 0, stat(of: path)?.type != S_IFDIR { return }
      if found == EACCES { error = EACCES }
    }
    // Only the first word: the others may hold secrets.
    throw Failure(
      .usage, "\(option): cannot run \(NamedFiles.shown(program)): \(SystemMessages.reason(error))",
      hint: program.contains(UInt8(ascii: "/")) ? nil : "its directory may be missing in PATH", about: [option])
  }

  /// As posix_spawnp(3) does: a name with a slash is a path.
  private static func searched(for program: [UInt8]) -> [[UInt8]] {
    if program.contains(UInt8(ascii: "/")) { return [[]] }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    return path.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
      $0.isEmpty ? [UInt8(ascii: ".")] : Array($0)
    }
  }
}
