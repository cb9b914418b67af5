internal import DownloadCore
internal import DownloadFiles
internal import Glibc

/// A running gpgv and the pipes from it.
struct GpgvProcess {
  enum Source { case status, text }

  /// The descriptor of the status lines in gpgv. Those of files follow.
  private static let statusNumber = 3

  private let process: ChildProcess
  private let pipes: [(source: Source, pipe: Pipe)]

  /// Starts gpgv without a shell.
  ///
  /// - Parameter writesText: whether the signed text is wanted.
  init(_ files: GpgvFiles, writesText: Bool) throws(OpenPGPFault) {
    let status = try Pipe()
    let text = writesText ? try Pipe() : nil
    pipes = [(.status, status)] + (text.map { [(.text, $0)] } ?? [])
    var descriptors = [status.writing?.raw ?? -1]
    func path(_ file: Int32) -> String {
      descriptors.append(file)
      return "/proc/self/fd/\(Self.statusNumber + descriptors.count - 1)"
    }
    // No directory, so that nothing of the user's is read.
    var words = ["gpgv", "--homedir", "/dev/null", "--status-fd", "\(Self.statusNumber)"]
    // MD5 is weak for gpgv itself.
    for digest in ["SHA1", "RIPEMD160"] { words += ["--weak-digest", digest] }
    for keyring in files.keyrings { words += ["--keyring", path(keyring)] }
    if writesText { words += ["--output", "-"] }
    words.append("--")
    if let signature = files.signature { words.append(path(signature)) }
    words.append(path(files.list))
    let command = ChildCommand(
      words: words.map { Array($0.utf8) }, variables: [Array("LC_ALL=C".utf8)], isSilent: true)
    do throws(ChildStartError) {
      process = try ChildProcess(command, output: text?.writing?.raw, descriptors: descriptors)
    } catch {
      throw error.errno == ENOENT ? .missing : .unusable(errno: error.errno)
    }
    for (_, pipe) in pipes { pipe.writing = nil }
  }

  /// Hands on what gpgv writes until it ends. Once.
  ///
  /// - Parameter take: gets the bytes of one pipe; returns false to end gpgv.
  /// - Returns: the exit status; nil where a signal ended gpgv.
  /// - Throws: `tooLong` where `take` returned false.
  func run(_ take: (Source, UnsafeRawBufferPointer) -> Bool) throws(OpenPGPFault) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var open = pipes
    var isRefused = false
    while !isRefused, !open.isEmpty {
      var entries = open.map { pollfd(fd: $0.pipe.reading.raw, events: Int16(POLLIN), revents: 0) }
      if poll(&entries, nfds_t(entries.count), -1) < 0 { continue }
      for index in entries.indices.reversed() where entries[index].revents != 0 && !isRefused {
        let count = read(open[index].pipe.reading.raw, &buffer, buffer.count)
        if count > 0 {
          let source = open[index].source
          isRefused = !buffer.withUnsafeBytes { take(source, UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        } else if count == 0 || errno != EINTR {
          open.remove(at: index)
        }
      }
    }
    if isRefused { process.kill() }
    let end = process.reap()
    if isRefused { throw .tooLong }
    switch end {
    case .exited(let status): return status
    case .notStarted(let errno): throw .unusable(errno: errno)
    case .killed, .timedOut, .cancelled: return nil
    }
  }
}

/// A pipe from a child.
private final class Pipe {
  let reading: FileDescriptor
  /// Nil as soon as the child has its own end, so that the pipe ends with the child.
  var writing: FileDescriptor?

  init() throws(OpenPGPFault) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .unusable(errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = FileDescriptor(owning: ends[0])
    writing = FileDescriptor(owning: ends[1])
  }
}
