import Glibc
import TestSupport
import Testing

/// `--lock-wait`.
@Suite(.waiting) struct `A run that waits for another one` {
  private let place: Workplace
  private let service: FileService
  private let server: ScriptedServer

  init() throws {
    place = try Workplace()
    service = FileService(["/f": mediumFile]) { $0.bytesPerSecondOfServer = 1e6 }
    server = try ScriptedServer(service)
  }

  /// A run that is downloading the file.
  private func startFirst() throws -> SpawnedProgram {
    // What several connections have under way when segments are divided depends on the machine.
    let first = try place.start("-x", "1", server.url("/f"))
    #expect(eventually { place.names.contains("f.swiftget-part") })
    return first
  }

  private func startSecond(_ seconds: String) throws -> SpawnedProgram {
    let second = try place.start("--lock-wait", seconds, server.url("/f"))
    #expect(eventually { second.errorSoFar.contains("for 1 file of other runs") }, "\(second.errorSoFar)")
    return second
  }

  @Test func `keeps what the other one finishes`() throws {
    let first = try startFirst()
    let second = try startSecond("1000")
    service.change { $0.bytesPerSecondOfServer = nil }
    let results = [first.wait(), second.wait()]
    #expect(results.map(\.status) == [0, 0], "\(results.map(\.told))")
    #expect(place.names == ["f"] && place.holds("f", mediumFile))
    #expect(server.bodyBytesSent < mediumFile.byteCount * 11 / 10)
  }

  @Test func `downloads what the other one leaves`() throws {
    let first = try startFirst()
    let second = try startSecond("1000")
    first.kill()
    _ = first.wait()
    service.change { $0.bytesPerSecondOfServer = nil }
    let result = second.wait()
    #expect(result.status == 0 && place.names == ["f"] && place.holds("f", mediumFile), "\(result.told)")
  }

  @Test func `gives up after its time, and names the other one`() throws {
    let first = try startFirst()
    let result = try startSecond("1").wait()
    #expect(result.status == 75 && result.errorText.contains("(PID \(first.identifier))"), "\(result.told)")
    #expect(first.isRunning)
    first.kill()
    _ = first.wait()
  }

  @Test func `ends at a signal`() throws {
    let first = try startFirst()
    let second = try startSecond("1000")
    second.kill(SIGINT)
    let result = second.wait()
    #expect(result.status == 130, "\(result.told)")
    first.kill()
    _ = first.wait()
  }
}
