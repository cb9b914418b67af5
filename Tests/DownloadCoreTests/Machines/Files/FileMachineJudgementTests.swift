import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `A whole file` {
  private static let digest = FileTrace.digest
  private static let other = ContentDigest(.md5, repeating: 8)
  private static let error = Failure(.rejected(.exited(status: 1)))

  private func concluding(isJudged: Bool = true, digests: [ContentDigest] = []) -> FileTrace {
    let command = try? CommandWords(text: Array("true".utf8))
    let trace = FileTrace(digests: digests) {
      if isJudged { $0.target.verifyCommand = command.map { VerifyCommand($0) } }
    }
    trace.head(0, 200, length: 1000)
    trace.advanced(0, 1000)
    trace.ended(0)
    #expect(trace.take().last?.hasPrefix("conclude") == true)
    return trace
  }

  private func hash(_ trace: FileTrace, _ computed: [ContentDigest]) -> [String] {
    trace.perform { $0.hashed(0, computed, now: $1, &$2) }
    return trace.take()
  }

  private func judge(_ trace: FileTrace, _ judgement: FileMachine.Judgement) -> [String] {
    trace.perform { run, _, actions in run.judged(0, judgement, &actions) }
    return trace.take()
  }

  @Test func `is published as soon as its digests match`() {
    let trace = concluding(isJudged: false, digests: [Self.digest])
    #expect(hash(trace, [Self.digest]) == ["publish 1000"])
    #expect(trace.run.conclusion(of: 0)?.verified?.digest == Self.digest && trace.run.isPublishing(0))
    trace.run.concluded(0)
    #expect(trace.run.phase(of: 0) == .ended)
  }

  @Test func `is fetched again if its digests differ, and fails if one was not computed`() {
    #expect(hash(concluding(digests: [Self.digest]), [Self.other]) == ["discard", "get 1 a/f all"])
    #expect(hash(concluding(digests: [Self.digest]), []) == ["fail localIO"])
  }

  @Test func `is judged after its digests, and published if it is accepted`() {
    let trace = concluding(digests: [Self.digest])
    #expect(hash(trace, [Self.digest]) == ["judge"])
    #expect(judge(trace, .accepted) == ["publish 1000"])
    #expect(trace.run.conclusion(of: 0)?.verified?.digest == Self.digest)
  }

  @Test func `is hashed again if the command has touched it, and must be the same`() {
    for isSame in [true, false] {
      let trace = concluding()
      #expect(hash(trace, [Self.digest]) == ["judge"])
      #expect(judge(trace, .touched) == ["conclude 1000 0"])
      let said = hash(trace, [isSame ? Self.digest : Self.other])
      #expect(said == (isSame ? ["publish 1000"] : ["set aside integrity"]))
    }
  }

  @Test func `is set aside and fails if it is rejected, once`() {
    let trace = concluding()
    _ = hash(trace, [Self.digest])
    #expect(judge(trace, .rejected(Self.error)) == ["set aside integrity"])
    #expect(judge(trace, .rejected(Self.error)) == [])
  }

  @Test func `has failed already if its storage has`() {
    let trace = concluding()
    _ = hash(trace, [Self.digest])
    trace.perform { run, _, actions in run.storageFailed(0, Failure(.partReplaced), &actions) }
    _ = trace.take()
    #expect(judge(trace, .accepted) == [] && hash(trace, [Self.digest]) == [])
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
