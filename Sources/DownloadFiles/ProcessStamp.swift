internal import CSwiftGetShims
internal import DownloadCore
internal import Glibc

/// A process of this machine, told apart from others that have its process id later.
///
/// Files that one process at a time may use name it. Where there are locks, the lock says that a file is held, and the
/// stamp by whom. On a file system without locks the stamp has to say both: its process holds the file as long as it runs.
package struct ProcessStamp: Hashable, Sendable {
  package let process: Int32
  /// When the process began, in clock ticks since the boot; 0 where that is unknown.
  private let start: UInt64
  /// `StableHash.fnv1a` of the boot id; 0 where that is unknown.
  private let boot: UInt64

  package static let current = ProcessStamp(
    process: getpid(), start: start(of: getpid()) ?? 0,
    boot: BootID.current.isEmpty ? 0 : StableHash.fnv1a(Array(BootID.current.utf8)))

  private init(process: Int32, start: UInt64, boot: UInt64) {
    self.process = process
    self.start = start
    self.boot = boot
  }

  /// A process that runs now; nil if there is none, or it cannot be told apart from a later one.
  package init?(of process: Int32) {
    guard let start = Self.start(of: process), start > 0, Self.current.boot > 0 else { return nil }
    self.init(process: process, start: start, boot: Self.current.boot)
  }

  /// Whether the process still runs on this machine. False where that cannot be known, as of another machine's.
  ///
  /// Process ids are used again, also after the next boot; the time of the start tells two processes apart.
  package var isRunning: Bool { start > 0 && boot > 0 && boot == Self.current.boot && Self.start(of: process) == start }

  // MARK: Its text

  /// Earlier versions wrote the process id alone.
  package init?(text: [UInt8]) {
    let words = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    guard words.first?.elementsEqual("pid".utf8) == true, words.count > 1,
      let process = Int32(String(decoding: words[1], as: UTF8.self))
    else { return nil }
    func number(_ index: Int) -> UInt64 {
      words.count > index ? UInt64(String(decoding: words[index], as: UTF8.self)) ?? 0 : 0
    }
    self.init(process: process, start: number(2), boot: number(3))
  }

  /// `pid PROCESS START BOOT`: 4 + 11 + 21 + 20 characters at most.
  package var text: [UInt8] { Array("pid \(process) \(start) \(boot)".utf8) }

  // MARK: /proc

  /// Field 22 of proc_pid_stat(5); nil where there is no such process.
  private static func start(of process: Int32) -> UInt64? {
    let path = Array("/proc/\(process)/stat".utf8)
    let opened = file_openat(AT_FDCWD, path, path.count, O_RDONLY, 0)
    guard opened >= 0 else { return nil }
    defer { file_close(Int32(truncatingIfNeeded: opened)) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = file_pread(Int32(truncatingIfNeeded: opened), &bytes, bytes.count, 0)
    // The command's name, field 2, stands in parentheses and may itself have blanks and parentheses.
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
  }
}

/// The line behind the slots of a sidecar, which names the process that works on the target.
extension ProcessStamp {
  /// Reads the line; nil where there is none yet.
  init?(in sidecar: Int32) throws(SystemCallError) {
    self.init(text: try SystemCalls.preadAll(sidecar, limit: SidecarReading.holderByteCount, at: Self.offset))
  }

  /// Writes the line.
  func write(to sidecar: Int32) throws(SystemCallError) { try SystemCalls.pwriteAll(sidecar, line, at: Self.offset) }

  private static var offset: Int64 { SidecarReading.holderOffset }

  /// The text, filled with blanks.
  var line: [UInt8] {
    text + [UInt8](repeating: UInt8(ascii: " "), count: SidecarReading.holderByteCount - 1 - text.count)
      + [UInt8(ascii: "\n")]
  }
}
