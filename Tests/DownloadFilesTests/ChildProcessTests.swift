import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadFiles

@Suite struct `A program without a shell` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func command(_ words: [String], variables: [[UInt8]] = []) -> ChildCommand {
    ChildCommand(words: words.map { Array($0.utf8) }, variables: variables)
  }

  /// Runs a script that writes to the file `out`, whose name is its first argument.
  private func run(_ script: String, variables: [[UInt8]] = [], arguments: [[UInt8]] = []) throws -> ChildEnd {
    var command = command(["sh", "-c", script, "sh", directory.path("out")], variables: variables)
    command.words += arguments
    return end(try ChildProcess(command))
  }

  private func end(_ process: ChildProcess) -> ChildEnd {
    while !process.hasEnded { ChildProcess.wait(for: [process.descriptor ?? -1], atMost: .milliseconds(50)) }
    return process.reap()
  }

  private func output() throws -> String { String(decoding: try directory.read("out"), as: UTF8.self) }

  @Test func `ends with its status, or by a signal`() throws {
    #expect(end(try ChildProcess(command(["true"]))) == .exited(status: 0))
    #expect(end(try ChildProcess(command(["/bin/sh", "-c", "exit 7"]))) == .exited(status: 7))
    #expect(end(try ChildProcess(command(["sh", "-c", "kill -9 $$"]))) == .killed(signal: SIGKILL))
  }

  @Test(arguments: [
    ("no such program", ENOENT), ("/no/such/program", ENOENT), ("/etc/passwd", EACCES), ("/", EACCES),
  ])
  func `that cannot be started says why`(program: String, errno: Int32) {
    let error = #expect(throws: ChildStartError.self) { try ChildProcess(command([program])) }
    #expect(error == ChildStartError(errno: errno))
  }

  @Test func `gets its arguments and variables as they are`() throws {
    let awkward: [UInt8] = Array("-x\n'\"$HOME`; *\\".utf8) + [0xff, 0x01]
    let end = try run(
      "printf '%s|' \"$2\" \"$A\" > \"$1\"; printf '%s' \"${SWIFTGET_OLD-none}\" >> \"$1\"",
      variables: [Array("A=".utf8) + awkward], arguments: [awkward])
    #expect(end == .exited(status: 0))
    #expect(try directory.read("out") == awkward + [0x7c] + awkward + Array("|none".utf8))
  }

  @Test func `has standard descriptors only, and reads nothing`() throws {
    // Inheritable on purpose.
    let leaked = open("/dev/null", O_RDONLY)
    defer { close(leaked) }
    // Not a shell, which has copies of descriptors while it redirects. The one that lists the directory is closed again.
    let script = """
      import os, sys
      open_now = [d for d in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + d)]
      same = os.path.samestat(os.fstat(1), os.fstat(2))
      text = f"{sorted(open_now)} {os.readlink('/proc/self/fd/0')} {same} {os.read(0, 10)}"
      open(sys.argv[1], "w").write(text)
      """
    let process = try ChildProcess(command(["/usr/bin/python3", "-c", script, directory.path("out")]))
    #expect(end(process) == .exited(status: 0))
    #expect(try output() == "['0', '1', '2'] /dev/null True b''")
  }

  @Test func `has no ignored and no blocked signals`() throws {
    var blocked = sigset_t()
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGUSR2)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let previous = signal(SIGWINCH, SIG_IGN)
    defer { signal(SIGWINCH, previous) }
    #expect(try run("grep -E 'Sig(Blk|Ign)' /proc/self/status > \"$1\"") == .exited(status: 0))
    let masks = try output().split(separator: "\n").map { $0.split(separator: "\t").last ?? "" }
    // glibc leaves its own signals ignored, 32 and 33, which no program can set.
    #expect(masks.map { UInt64($0, radix: 16).map { $0 & ~0x1_8000_0000 } } == [0, 0])
  }

  @Test func `is ended with what it has started`() throws {
    let process = try ChildProcess(
      command(["sh", "-c", "sleep 1000 & echo $! > \"$1\"; wait", "sh", directory.path("out")]))
    #expect(eventually { (try? output())?.hasSuffix("\n") == true })
    let grandchild = try #require(pid_t(try output().dropLast()))
    #expect(!process.hasEnded)
    process.askToEnd()
    #expect(end(process) == .killed(signal: SIGTERM))
    #expect(eventually { kill(grandchild, 0) != 0 && errno == ESRCH || isZombie(grandchild) })
  }

  /// Nobody may reap orphans where the tests run.
  private func isZombie(_ process: pid_t) -> Bool {
    let status = (try? readFile("/proc/\(process)/stat")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return status.contains(") Z ")
  }

  @Test func `that ignores the request is killed`() throws {
    let process = try ChildProcess(
      command(["sh", "-c", "trap '' TERM; echo > \"$1\"; while :; do sleep 1; done", "sh", directory.path("out")]))
    #expect(eventually { (try? output()) == "\n" })
    process.askToEnd()
    process.kill()
    #expect(end(process) == .killed(signal: SIGKILL))
  }
}
