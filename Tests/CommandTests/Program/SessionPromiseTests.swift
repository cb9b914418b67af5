import Glibc
import TestSupport
import Testing

/// What a command of `ctl` has promised once it has answered, and what holds over kills.
@Suite(.waiting) struct `Promises of a session` {
  private let rig: SessionWorkplace
  private let content = Content.generated(seed: 77, byteCount: 1_500_000)

  init() throws { rig = try SessionWorkplace() }

  /// A server on which `/f` takes three seconds.
  private func slowServer() throws -> ScriptedServer {
    try ScriptedServer(FileService(["/f": content]) { $0.bytesPerSecondOfConnection = 500_000 })
  }

  private var partSize: Int64 {
    var status = stat()
    return stat(rig.place.directory.path("f.swiftget-part"), &status) == 0 ? Int64(status.st_size) : 0
  }

  @Test func `once a pause is answered the file is another program's`() throws {
    let server = try slowServer()
    let service = try rig.serve()
    #expect(try rig.ctl("add", "-x", "1", server.url("/f")).status == 0)
    #expect(eventually { partSize > 0 })
    #expect(try rig.ctl("pause", "1").status == 0)
    // It would end with 75 if the session still had the file.
    let run = try rig.run("-q", server.url("/f"))
    #expect(run.status == 0 && rig.place.holds("f", content), "\(run.told)")
    #expect(try rig.ctl("resume", "1").status == 0 && rig.ctl("wait", "*").status == 0)
    rig.stop(service)
  }

  @Test func `a part of a file is never on its way twice, over kills`() throws {
    let server = try slowServer()
    #expect(try rig.ctl("add", "-x", "1", server.url("/f")).status == 0)
    for _ in 0..<3 {
      let before = partSize
      let service = try rig.serve()
      #expect(eventually { partSize > before })
      service.kill(SIGKILL)
      _ = service.wait()
      #expect(eventually { server.openConnections == 0 })
    }
    let last = try rig.serve()
    #expect(try rig.ctl("wait", "*").status == 0 && rig.place.holds("f", content))
    #expect(server.peakExchanges == 1)
    rig.stop(last)
  }

  @Test func `after a kill no more files begin than the limit says, in their order`() throws {
    let names = (10..<50).map { "f\($0)" }
    let files = Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", Content.text("\($0)\n")) })
    let server = try ScriptedServer(FileService(files) { $0.latency = .milliseconds(60) })
    try rig.place.directory.write("list", names.map { "\(server.url("/\($0)"))\n" }.joined())
    #expect(try rig.ctl("add", "-i", "list").status == 0 && rig.ctl("limit", "jobs=3").status == 0)
    let first = try rig.serve()
    #expect(eventually { server.requests.count >= 10 })
    first.kill(SIGKILL)
    _ = first.wait()
    #expect(eventually { server.openConnections == 0 })
    let second = try rig.serve()
    #expect(try rig.ctl("wait", "*").status == 0)
    rig.stop(second)
    #expect(server.peakExchanges <= 3)
    let order = server.requests.map(\.path)
    let begun = try names.map { name in try #require(order.firstIndex(of: "/\(name)")) }
    // Three run at a time, and those that ran begin again.
    for (index, place) in begun.enumerated() where index >= 6 {
      #expect(begun[index - 6] < place, "\(order)")
    }
    #expect(rig.place.names == names + ["list"])
  }

  @Test func `a file whose name is taken in the end is no success, and a retry has its bytes`() throws {
    let server = try slowServer()
    let service = try rig.serve()
    #expect(try rig.ctl("add", server.url("/f")).status == 0)
    #expect(eventually { partSize > 0 })
    #expect(mkdir(rig.place.directory.path("f"), 0o755) == 0)
    let ended = try rig.ctl("wait", "1")
    #expect(ended.status != 0, "\(ended.told)")
    #expect(try rig.ctl("list", "--fields=state").outputText == "state\nfailed\n")
    #expect(rmdir(rig.place.directory.path("f")) == 0)
    #expect(try rig.ctl("retry", "1").status == 0)
    let again = try rig.ctl("wait", "*")
    #expect(again.status == 0 && rig.place.holds("f", content), "\(again.told)")
    #expect(server.bodyBytesSent < 2 * 1_500_000, "\(server.bodyBytesSent)")
    rig.stop(service)
  }

  @Test func `an add that is interrupted says how much was added, and repeated adds the rest`() throws {
    let names = (0..<20_000).map { "f\($0)" }
    try rig.place.directory.write("list", names.map { "http://127.0.0.1:9/\($0)\n" }.joined())
    let service = try rig.serve()
    #expect(try rig.ctl("pause", "@all").status == 0)
    func count() throws -> Int {
      let text = try rig.ctl("status").outputText
      return text.firstMatch(of: #/night: (\d+) files?/#).flatMap { Int($0.1) } ?? 0
    }
    let add = try rig.start("ctl", "-S", "night", "add", "-i", "list")
    #expect(eventually { (try? count()) ?? 0 >= 500 || !add.isRunning })
    // Calls are on their way when the signal comes.
    service.kill(SIGSTOP)
    add.kill(SIGINT)
    service.kill(SIGCONT)
    let interrupted = add.wait()
    let told = try #require(
      interrupted.errorText.firstMatch(of: #/(\d+) of 20,?000 files added/#), "\(interrupted.errorText)")
    let addedCount = try #require(Int(told.1))
    #expect(interrupted.status == 130 && addedCount >= 500 && addedCount % 500 == 0 && addedCount < 20_000)
    #expect(try count() == addedCount)
    let again = try rig.ctl("add", "-i", "list")
    #expect(
      again.status == 0 && again.outputText.hasPrefix("added \(20_000 - addedCount) tasks; "), "\(again.errorText)")
    #expect(try count() == 20_000)
    rig.stop(service)
  }
}
