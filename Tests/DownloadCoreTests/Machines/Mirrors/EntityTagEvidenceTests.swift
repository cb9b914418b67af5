import Testing

@testable import DownloadCore

@Suite struct `Evidence about entity tags` {
  private func answer(_ tag: String?, length: Int64? = 1000, modified: Int64? = 500) -> Representation {
    var head = ResponseHead(status: 200)
    head.entityTag = tag.flatMap { EntityTag(parsing: $0.utf8) }
    head.contentLength = length
    head.lastModified = modified
    return Representation(of: head)
  }

  /// The number of the first answer that refutes the tags; nil if none does.
  ///
  /// - Parameter inFlight: the transfers that have begun when an answer comes, besides its own.
  private func refutation(_ answers: [Representation], inFlight: Int = 0) -> Int? {
    var evidence = EntityTagEvidence(answers[0])
    for (number, answer) in answers.enumerated().dropFirst() {
      if evidence?.isRefuted(by: answer, to: number, lastTransfer: number + inFlight) == true { return number }
    }
    return nil
  }

  private func refutation(_ tags: String, inFlight: Int = 0) -> Int? {
    refutation(tags.map { answer("\"\($0)\"") }, inFlight: inFlight)
  }

  @Test(
    arguments: [
      ("vvvv", nil), ("vx", nil), ("vxxx", nil), ("vvvxxxy", nil), ("vxv", 2), ("vvxxxv", 5), ("vxy", 2), ("vxxyx", 4),
    ] as [(String, Int?)])
  func `a tag that comes back, or another one in each of three answers, refutes`(tags: String, refuting: Int?) {
    #expect(refutation(tags) == refuting)
  }

  @Test func `an answer to an earlier request may be late`() {
    #expect(refutation("vxvvv", inFlight: 3) == nil)
    #expect(refutation("vxvvvv", inFlight: 3) == 5)
  }

  @Test func `a changed length or time is a new version`() {
    let (v, x) = (answer("\"v\""), answer("\"x\"", length: 999))
    #expect(refutation([v, x, v, x, v]) == nil)
    let y = answer("\"y\"", modified: 501)
    #expect(refutation([v, y, v, x, y, v]) == nil)
    #expect(refutation([y, v, answer("\"z\""), v]) == 3)
  }

  @Test func `weak tags and answers without a tag tell nothing`() {
    #expect(EntityTagEvidence(answer("W/\"v\"")) == nil && EntityTagEvidence(answer(nil)) == nil)
    let v = answer("\"v\"")
    #expect(refutation([v, answer("W/\"x\""), v, answer(nil), v]) == nil)
  }

  @Test func `without a length the modification time must identify the version`() {
    func answers(modified: Int64?) -> [Representation] {
      ["\"v\"", "\"x\"", "\"v\""].map { answer($0, length: nil, modified: modified) }
    }
    #expect(refutation(answers(modified: 500)) == 2)
    #expect(refutation(answers(modified: nil)) == nil)
  }
}
