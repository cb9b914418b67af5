import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore

@Suite struct `Disk space` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  /// Announces a length beyond any file system for one path.
  private func server(_ service: FileService, absurd path: String) throws -> ScriptedServer {
    try ScriptedServer { request in
      guard request.path == path else { return service.steps(for: request) }
      let head = responseHead(
        200,
        [
          ("Content-Length", "\(Int64.max)"), ("ETag", "\"absurd\""), ("Accept-Ranges", "bytes"),
          ("Last-Modified", "Wed, 01 Jan 2025 10:00:00 GMT"),
        ])
      return [.send(head), .sendBody(Body(.generated(seed: 3, byteCount: 1 << 20))), .close]
    }
  }

  @Test func `that is not sufficient for a file fails that file only, in this run and the next`() throws {
    let content = Content.generated(seed: 1, byteCount: 700_000)
    let service = FileService(["/a": content, "/b": content, "/c": content])
    let server = try server(service, absurd: "/huge")
    let names = ["a", "huge", "b", "huge2", "c"]
    let requests = try names.enumerated().map { index, name in
      try request(index, server.url(name.hasPrefix("huge") ? "/huge" : "/\(name)"), name: name)
    }
    for attempt in 0..<2 {
      let run = try EngineRun(requests, into: target)
      for (index, name) in names.enumerated() where !name.hasPrefix("huge") {
        #expect(run.result(index) == (attempt == 0 ? .downloaded : .kept), "\(run.observer.outcomes)")
        #expect(try content.firstDifference(inFile: target.path(name)) == nil)
      }
      for index in [1, 3] {
        let error = try #require(run.error(index))
        #expect(error.code == .localIO && error.message.hasPrefix("not enough space: \(Int64.max) bytes are needed"))
        #expect(error.message.contains("are kept in reserve"))
      }
      #expect(run.end.stoppedBy == nil && run.end.progress.failedCount == 2)
      #expect(target.names() == ["a", "b", "c"])
    }
  }

  /// The free space must equal that of df.
  @Test func `agrees with df`() throws {
    let server = try server(FileService([:]), absurd: "/huge")
    let run = try EngineRun([request(0, server.url("/huge"), name: "huge")], into: target)
    let words = try #require(run.error()).message.split { !$0.isNumber }.compactMap { Int64($0) }
    try #require(words.count == 3)
    let df = try runProgram("/bin/df", ["--output=avail", "--block-size=1", target.path])
    let shown = try #require(df.outputText.split(separator: "\n").last.flatMap { Int64($0.filter(\.isNumber)) })
    // Other processes write at the same time.
    #expect(abs(words[1] - shown) < 4 << 30, "\(words) \(shown)")
    #expect(words[2] == 8 << 20)
  }
}
