import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `A file that the user's command rejects` {
  private func concluded() -> FileTrace {
    let trace = FileTrace()
    trace.head(0, 200, length: 1000)
    trace.advanced(0, 1000)
    trace.ended(0)
    #expect(trace.take().last?.hasPrefix("conclude") == true)
    return trace
  }

  private func reject(_ trace: FileTrace) -> [RunAction] {
    var actions: [RunAction] = []
    trace.run.rejected(0, DownloadError(.rejected(.exited(status: 1))), &actions)
    return actions
  }

  @Test func `is set aside and fails, once`() {
    let trace = concluded()
    let error = DownloadError(.rejected(.exited(status: 1)))
    #expect(reject(trace) == [.setAside(item: 0), .fail(item: 0, error)])
    #expect(reject(trace) == [])
  }

  @Test func `has failed already where its storage has`() {
    let trace = concluded()
    var actions: [RunAction] = []
    trace.run.storageFailed(0, DownloadError(.partReplaced), &actions)
    #expect(reject(trace) == [])
  }
}

@Suite struct `The command line of a judgement` {
  private func words(_ command: String) throws -> [String] {
    let verify = VerifyCommand(try CommandWords(text: Array(command.utf8)))
    let location = Location(scheme: .https, host: "h", port: 443, path: "/f", query: "q")
    let child = verify.command(path: Array("/p".utf8), url: location, byteCount: 7)
    #expect(
      child.variables.map { String(decoding: $0, as: UTF8.self) }
        == ["SWIFTGET_PATH=/p", "SWIFTGET_URL=https://h/f?q", "SWIFTGET_SIZE=7"])
    return child.words.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `has the path at its end, or in the place of each placeholder`() throws {
    #expect(try words("scan -q") == ["scan", "-q", "/p"])
    #expect(try words("scan {} -q '{}'") == ["scan", "/p", "-q", "/p"])
    #expect(try words("sh -c 'scan {}'") == ["sh", "-c", "scan {}", "/p"])
  }
}
