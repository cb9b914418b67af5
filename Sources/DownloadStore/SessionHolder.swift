package import DownloadFiles
internal import Glibc

/// The process that works on a session, as the session's file `lock` names it.
package struct SessionHolder: Hashable, Sendable {
  package var host: String
  package var process: ProcessStamp
  /// Where it listens; nil if it does not, or not yet.
  package var socket: [UInt8]?

  package init(host: String, process: ProcessStamp, socket: [UInt8]? = nil) {
    self.host = host
    self.process = process
    self.socket = socket
  }

  package static func current(socket: [UInt8]?) -> SessionHolder {
    SessionHolder(host: thisHost, process: .current, socket: socket)
  }

  /// The host name without its domain's changes: as the kernel has it.
  static let thisHost: String = {
    var name = utsname()
    guard uname(&name) == 0 else { return "localhost" }
    return withUnsafeBytes(of: name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }()

  /// Whether it may still work. What another host's does cannot be known.
  package var mayWork: Bool { !isOfThisHost || process.isRunning }

  package var isOfThisHost: Bool { host == Self.thisHost }

  // MARK: The file

  /// `pid PROCESS START BOOT`, `host NAME`, `socket PATH` and `end`, a line each.
  var text: [UInt8] {
    var text = process.text + Array("\nhost \(host)\n".utf8)
    if let socket { text += Array("socket ".utf8) + socket + [UInt8(ascii: "\n")] }
    return text + Array("end\n".utf8)
  }

  /// Nil if the text is not whole.
  init?(text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let end = lines.firstIndex(where: { $0.elementsEqual("end".utf8) }), end >= 2,
      let process = ProcessStamp(text: Array(lines[0])), lines[1].starts(with: "host ".utf8)
    else { return nil }
    self.process = process
    host = String(decoding: lines[1].dropFirst(5), as: UTF8.self)
    let third = lines[2]
    socket = third.starts(with: "socket ".utf8) ? Array(third.dropFirst(7)) : nil
  }
}
