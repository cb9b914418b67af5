internal import Glibc

/// A running gpgv and the pipes from it.
struct GpgvProcess: ~Copyable {
  enum Source { case report, text }

  private let identifier: pid_t
  /// The pipes' ends for reading; -1 after the end.
  private var report: Int32
  private var text: Int32

  /// Starts gpgv without a shell.
  ///
  /// - Parameter writesText: whether the signed text is wanted.
  init(_ files: GpgvFiles, writesText: Bool) throws(OpenPGPFault) {
    var descriptors = ChildDescriptors(fileCount: files.keyrings.count + 2)
    var report: Int32 = -1
    var text: Int32 = -1
    defer { descriptors.close() }
    do throws(OpenPGPFault) {
      report = try descriptors.addPipe(at: ChildDescriptors.report)
      if writesText { text = try descriptors.addPipe(at: STDOUT_FILENO) }
      let arguments = try Self.arguments(files, writesText: writesText, &descriptors)
      identifier = try Self.spawn(arguments, descriptors)
    } catch {
      for pipe in [report, text] where pipe >= 0 { Glibc.close(pipe) }
      throw error
    }
    self.report = report
    self.text = text
  }

  private static func arguments(
    _ files: GpgvFiles, writesText: Bool, _ descriptors: inout ChildDescriptors
  ) throws(OpenPGPFault) -> [String] {
    // No directory, so that nothing of the user's is read.
    var words = ["gpgv", "--homedir", "/dev/null", "--status-fd", "\(ChildDescriptors.report)"]
    // MD5 is weak for gpgv itself.
    for digest in ["SHA1", "RIPEMD160"] { words += ["--weak-digest", digest] }
    for keyring in files.keyrings { words += ["--keyring", try descriptors.addFile(keyring)] }
    if writesText { words += ["--output", "-"] }
    words.append("--")
    if let signature = files.signature { words.append(try descriptors.addFile(signature)) }
    words.append(try descriptors.addFile(files.list))
    return words
  }

  private static func spawn(
    _ arguments: [String], _ descriptors: borrowing ChildDescriptors
  ) throws(OpenPGPFault) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for number: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
    descriptors.addActions(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let words = arguments.map { strdup($0) } + [nil]
    let environment = [strdup("LC_ALL=C"), nil]
    defer { (words + environment).forEach { free($0) } }
    var identifier: pid_t = 0
    let failed = posix_spawnp(&identifier, arguments[0], &actions, &attributes, words, environment)
    if failed == 0 { return identifier }
    throw failed == ENOENT ? .missing : .unusable(errno: failed)
  }

  /// Hands on what gpgv writes until it ends.
  ///
  /// - Parameter take: gets the bytes of one pipe; returns false to end gpgv.
  /// - Returns: the exit status; nil where a signal ended gpgv.
  /// - Throws: `tooLong` where `take` returned false.
  consuming func run(
    _ take: (Source, UnsafeRawBufferPointer) -> Bool
  ) throws(OpenPGPFault) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var isRefused = false
    while !isRefused, report >= 0 || text >= 0 {
      var entries = [report, text].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if poll(&entries, 2, -1) < 0 { continue }
      if entries[0].revents != 0 { isRefused = !Self.read(&report, &buffer) { take(.report, $0) } }
      if !isRefused, entries[1].revents != 0 { isRefused = !Self.read(&text, &buffer) { take(.text, $0) } }
    }
    if isRefused { kill(identifier, SIGKILL) }
    for pipe in [report, text] where pipe >= 0 { Glibc.close(pipe) }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      if errno != EINTR { throw .unusable(errno: errno) }
    }
    if isRefused { throw .tooLong }
    // Swift does not import macros such as WIFEXITED.
    return status & 0x7f == 0 ? status >> 8 & 0xff : nil
  }

  /// - Returns: what `take` returns; true at the end of the pipe.
  private static func read(
    _ pipe: inout Int32, _ buffer: inout [UInt8], _ take: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    let count = Glibc.read(pipe, &buffer, buffer.count)
    if count < 0, errno == EINTR { return true }
    if count > 0 { return buffer.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
    Glibc.close(pipe)
    pipe = -1
    return true
  }
}

/// The descriptors that a child gets, at numbers of our choice.
private struct ChildDescriptors: ~Copyable {
  /// The number of the pipe for the report. Those of files follow.
  static let report: Int32 = 3

  /// Copies above all numbers of the child, so that none is replaced before it is used.
  private var copies: [(copy: Int32, number: Int32)] = []
  private var nextFile = ChildDescriptors.report + 1
  private let firstCopy: Int32

  init(fileCount: Int) { firstCopy = Self.report + 1 + Int32(clamping: fileCount) }

  /// - Returns: the end for reading.
  mutating func addPipe(at number: Int32) throws(OpenPGPFault) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .unusable(errno: errno) }
    defer { Glibc.close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    do throws(OpenPGPFault) { try add(ends[1], at: number) } catch {
      Glibc.close(ends[0])
      throw error
    }
    return ends[0]
  }

  /// - Returns: the path of the open file in the child.
  mutating func addFile(_ descriptor: Int32) throws(OpenPGPFault) -> String {
    defer { nextFile += 1 }
    try add(descriptor, at: nextFile)
    return "/proc/self/fd/\(nextFile)"
  }

  private mutating func add(_ descriptor: Int32, at number: Int32) throws(OpenPGPFault) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, firstCopy)
    guard copy >= 0 else { throw .unusable(errno: errno) }
    copies.append((copy, number))
  }

  func addActions(_ actions: inout posix_spawn_file_actions_t) {
    for (copy, number) in copies { posix_spawn_file_actions_adddup2(&actions, copy, number) }
  }

  func close() { for (copy, _) in copies { Glibc.close(copy) } }
}
