internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// Whether systemd may end the processes of a user who logs out: loginctl(1), enable-linger.
enum Lingering {
  /// Tests have another root directory.
  static let variable = "SWIFTGET_SYSTEM_ROOT"

  /// Nil if a log-out does not concern this process, or the user's processes may stay.
  static var warning: Diagnostic? {
    let root = getenv(variable).map { String(cString: $0) } ?? ""
    guard let entry = getpwuid(geteuid()) else { return nil }
    let user = String(cString: entry.pointee.pw_name)
    // Below user.slice are the sessions of users and their service managers.
    let group = try? SmallFiles.read(Array("\(root)/proc/self/cgroup".utf8), notedIn: nil, mostBytes: 1 << 16)
    guard group?.contains("/user.slice/".utf8) == true, access("\(root)/run/systemd/system", F_OK) == 0,
      access("\(root)/var/lib/systemd/linger/\(user)", F_OK) != 0
    else { return nil }
    return Diagnostic(
      message: "warning: lingering is off, so that a log-out of \(user) may end the work",
      hint: "loginctl enable-linger keeps it")
  }
}
