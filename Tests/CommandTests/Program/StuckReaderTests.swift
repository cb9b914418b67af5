import Glibc
import TestSupport
import Testing

/// Signals are handled while the program waits for the reader of an output or the writer of an input.
@Suite(.serialized, .waiting) struct `Blocked readers and writers` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// A named pipe of one page, whose reading end is open but never read.
  private func stuckPipe(_ name: String) throws -> (path: String, reader: Int32) {
    let path = place.directory.path(name)
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    #expect(reader >= 0)
    let setPipeSize: Int32 = 1031
    #expect(fcntl(reader, setPipeSize, 4096) == 4096)
    return (path, reader)
  }

  /// A pipe of one page accepts nothing more once it has content.
  private func isFull(_ reader: Int32) -> Bool {
    var count: Int32 = 0
    return ioctl(reader, UInt(FIONREAD), &count) == 0 && count > 0
  }

  private func end(_ program: SpawnedProgram, _ signal: Int32, _ status: Int32) {
    program.kill(signal)
    #expect(eventually { !program.isRunning }, "it did not hear the signal")
    program.kill()
    let result = program.wait()
    #expect(result.status == status, "\(result.told)")
  }

  @Test func `a blocked reader of the content does not block signals`() throws {
    let (path, reader) = try stuckPipe("pipe")
    defer { close(reader) }
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    var invocation = try place.invocation(["-o", "-", server.url("/f")])
    invocation.outputPath = path
    let program = try SpawnedProgram(invocation)
    #expect(eventually { isFull(reader) })
    end(program, SIGINT, 130)
  }

  @Test func `a slow reader gets all of the content`() throws {
    let (path, reader) = try stuckPipe("pipe")
    defer { close(reader) }
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    var invocation = try place.invocation(
      ["-o", "-", "--checksum", "sha256:\(mediumFile.hexDigest("sha256"))", server.url("/f")])
    invocation.outputPath = path
    let program = try SpawnedProgram(invocation)
    #expect(eventually { isFull(reader) })
    pause(seconds: 0.5)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 70_000)
    while received.count < Int(mediumFile.byteCount) {
      let count = read(reader, &buffer, buffer.count)
      if count == 0 || (count < 0 && errno != EAGAIN) { break }
      if count > 0 { received += buffer[..<count] } else { pause(seconds: 0.001) }
    }
    let result = program.wait()
    #expect(result.status == 0, "\(result.told)")
    #expect(received == mediumFile.allBytes, "\(received.count) bytes")
  }

  @Test func `a blocked reader of messages delays nothing`() throws {
    let (path, reader) = try stuckPipe("pipe")
    defer { close(reader) }
    let server = try ScriptedServer(FileService(["/f": mediumFile]))
    let urls = (0..<200).map { server.url("/absent\($0)") } + [server.url("/f")]
    var invocation = try place.invocation(urls)
    invocation.arguments = ["-c", "exec \"$0\" \"$@\" 2> \(path)", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    let result = try place.run(invocation)
    #expect(result.status == 8 && place.holds("f", mediumFile), "\(result.told)")
    #expect(isFull(reader))
  }

  @Test func `a blocked reader of a report does not block signals`() throws {
    let (path, reader) = try stuckPipe("pipe")
    defer { close(reader) }
    let server = try ScriptedServer(FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 100_000 })
    let urls = (0..<60).map { server.url("/absent\($0)") } + [server.url("/f")]
    var invocation = try place.invocation(["--progress", "json"] + urls)
    invocation.outputPath = path
    let program = try SpawnedProgram(invocation)
    #expect(eventually { isFull(reader) })
    pause(seconds: 0.5)
    end(program, SIGTERM, 143)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)] as [(Int32, Int32)])
  func `a list without a writer does not block signals`(signal: Int32, status: Int32) throws {
    #if THREAD_SANITIZER
      // ThreadSanitizer delays signals until `open` returns.
      if signal == SIGINT { return print("not run under ThreadSanitizer") }
    #endif
    #expect(mkfifo(place.directory.path("list"), 0o600) == 0)
    let program = try place.start("-i", "list")
    // It prints nothing while it waits, and a busy machine starts programs slowly.
    pause(seconds: 2)
    // It waits for the other end in one case and for the first line in the other.
    if signal == SIGINT { return end(program, signal, status) }
    let writer = open(place.directory.path("list"), O_WRONLY | O_CLOEXEC)
    defer { close(writer) }
    pause(seconds: 0.3)
    program.kill(SIGUSR1)
    pause(seconds: 0.2)
    #expect(program.isRunning, "asked for its status it goes on")
    end(program, signal, status)
  }
}
