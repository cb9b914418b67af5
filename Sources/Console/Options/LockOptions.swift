import DownloadCore

/// `--lock` and `--frozen`: their arguments, and what they must not be combined with.
enum LockOptions {
  static func errors(_ invocation: Invocation) -> [DownloadError] {
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if invocation.lock != nil {
      if let option = invocation.work.refusingOption {
        add("--lock has no meaning with \(option)", hint: "--check --frozen FILE compares files with a lock file")
      } else if invocation.writesToStandardOutput {
        add(
          "--lock: standard output is no file that could be listed",
          hint: "write to a file with -o, or leave out --lock")
      } else if let output = invocation.output, (try? TargetName.checked(output)) == nil {
        add(
          "--lock cannot list the name \(NamedFiles.shown(output))",
          hint: "a list has names below the target directory; name that with -d and the file with -o")
      }
    }
    return errors
  }
}
