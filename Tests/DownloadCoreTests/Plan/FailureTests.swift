import Testing

@testable import DownloadCore

@Suite struct `The code of an error` {
  private static func failure(_ kind: LocalFailure.Kind) -> Failure.Cause {
    .local(LocalFailure(.writePart, call: "pwrite", errno: 1, kind: kind))
  }

  @Test func `of a failed system call depends on whether space would help`() {
    for kind in LocalFailure.Kind.allCases {
      #expect(Failure(Self.failure(kind)).code == (kind == .outOfSpace ? .diskFull : .localIO), "\(kind)")
    }
  }

  @Test func `follows from its cause`() {
    let space = DiskSpace(free: 9, reserve: 8)
    let digest = ContentDigest(.md5, [UInt8](repeating: 1, count: 16))!
    let mismatch = DigestMismatch(expected: digest, actual: digest)
    let location = Location(scheme: .https, host: "h", port: 443, path: "/", query: nil)
    let rows: [(Failure.Cause, Failure.Code)] = [
      (.spaceShort(needed: 10, claimed: 0, space), .localIO), (.spaceExhausted(space), .diskFull),
      (.foreignFile(ForeignFile(name: [97], .unsigned)), .localIO), (.locked(process: nil), .locked),
      (.targetOfOtherURL(.entityTag), .integrity), (.answerUnidentified, .protocolViolation),
      (.targetDiffers(length: 1, remote: 2), .integrity), (.partLengthChanged(found: 1), .localIO),
      (.partReplaced, .localIO), (.digestUnavailable(.md5), .localIO), (.threadsUnavailable, .localIO),
      (.keepsChanging(.entityTag), .integrity), (.mismatch(mismatch, failures: 3), .integrity),
      (.outputMismatch(mismatch), .integrity), (.outputChanged(written: 1), .integrity),
      (.outputPieceWrong(number: 1, count: 2), .integrity), (.outputPieceCount(found: 1, expected: 2), .integrity),
      (.deadline(lastFault: nil, hasReceived: false), .deadline), (.runDeadline, .deadline),
      (.rejected(.timedOut), .integrity), (.changedByJudge, .integrity), (.unconfirmed(failures: 1), .integrity),
      (.unjudged(program: [], .timedOut), .localIO),
      (.streamUnjudged, .usage),
      (.impossible(event: "a", phase: "b"), .other),
      (.worded(.usage, message: "a", hint: nil), .usage),
    ]
    for (cause, code) in rows { #expect(Failure(cause).code == code, "\(cause)") }
    for obstacle in TargetObstacle.allCases { #expect(Failure(.targetTaken(by: obstacle)).code == .localIO) }
    for row in `Faults of transfers`.table {
      #expect(Failure(.transfer(row.fault, at: location, attempts: 0)).code == row.code)
    }
  }

  /// Every item has results that may be errors.
  @Test func `costs no more than a pointer`() {
    #expect(MemoryLayout<Failure>.size == MemoryLayout<Int>.size)
    #expect(MemoryLayout<Remark>.size == MemoryLayout<Int>.size)
  }
}
