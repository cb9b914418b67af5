import Glibc
import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of errors` {
  /// The cases of `Failure.Cause`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case local, spaceShort, spaceExhausted, foreignFile, locked, targetTaken, targetDiffers, partLengthChanged,
      targetOfOtherURL
    case partReplaced, digestUnavailable, threadsUnavailable, transfer, keepsChanging, mismatch, outputMismatch
    case outputChanged, outputPieceWrong, outputPieceCount, deadline, runDeadline, signal, impossible, worded
    case unconfirmed, rejected, changedByJudge, unjudged, undecided, streamUnjudged, answerUnidentified

    init(_ cause: Failure.Cause) {
      self =
        switch cause {
        case .local: .local
        case .spaceShort: .spaceShort
        case .spaceExhausted: .spaceExhausted
        case .foreignFile: .foreignFile
        case .locked: .locked
        case .targetTaken: .targetTaken
        case .targetDiffers: .targetDiffers
        case .targetOfOtherURL: .targetOfOtherURL
        case .answerUnidentified: .answerUnidentified
        case .partLengthChanged: .partLengthChanged
        case .partReplaced: .partReplaced
        case .digestUnavailable: .digestUnavailable
        case .threadsUnavailable: .threadsUnavailable
        case .transfer: .transfer
        case .keepsChanging: .keepsChanging
        case .mismatch: .mismatch
        case .outputMismatch: .outputMismatch
        case .outputChanged: .outputChanged
        case .outputPieceWrong: .outputPieceWrong
        case .outputPieceCount: .outputPieceCount
        case .deadline: .deadline
        case .runDeadline: .runDeadline
        case .signal: .signal
        case .rejected: .rejected
        case .changedByJudge: .changedByJudge
        case .unconfirmed: .unconfirmed
        case .unjudged: .unjudged
        case .undecided: .undecided
        case .streamUnjudged: .streamUnjudged
        case .impossible: .impossible
        case .worded: .worded
        }
    }
  }

  private static let space = DiskSpace(free: 1234, reserve: 567)
  private static let whole = DigestMismatch(expected: Wording.digest, actual: Wording.otherDigest)
  private static let piece = DigestMismatch(
    expected: Wording.digest, actual: Wording.otherDigest, range: 400..<800)
  private static let (expected, actual) = (Wording.digest.hex, Wording.otherDigest.hex)

  private static func local(
    _ operation: LocalFailure.Operation, _ kind: LocalFailure.Kind = .other, _ errno: Int32 = EIO
  ) -> Failure.Cause {
    .local(LocalFailure(operation, path: Array("dir".utf8), call: "openat", errno: errno, kind: kind))
  }

  static let samples: [Sample<Failure.Cause>] =
    LocalFailure.Operation.allCases.map { Sample(local($0), "Input/output error") }
    + LocalFailure.Kind.allCases.map { Sample(local(.openPart, $0, EACCES), "Permission denied") }
    + ForeignFile.Reason.allCases.map {
      Sample(.foreignFile(ForeignFile(name: Array("x.swiftget".utf8), $0)), "x.swiftget")
    }
    + TargetObstacle.allCases.map { Sample(.targetTaken(by: $0)) }
    + `Words of faults`.samples.map {
      Sample(.transfer($0.value, at: Wording.location, attempts: 5), "https://example.org/a.iso", "5 attempts")
    }
    + [
      Sample(.spaceShort(needed: 10_000, claimed: 0, space), "9.7 KiB", "1.2 KiB", "567 B"),
      Sample(.spaceShort(needed: 10_000, claimed: 88, space), "9.7 KiB", "88 B", "1.2 KiB", "567 B"),
      Sample(.spaceExhausted(space), "1.2 KiB", "567 B"),
      Sample(.locked(process: 4242), "4242"), Sample(.locked(process: nil)),
      Sample(.targetDiffers(length: 77, remote: 88), "77", "88"), Sample(.targetDiffers(length: 77, remote: nil), "77"),
      Sample(.targetOfOtherURL(.lastModified), "another URL", "Last-Modified"), Sample(.answerUnidentified, "ETag"),
      Sample(.partLengthChanged(found: 99), "99"), Sample(.partReplaced),
      Sample(.digestUnavailable(.md5)), Sample(.threadsUnavailable),
      Sample(.keepsChanging(.length(5, was: 6)), "from 6 to 5"),
      Sample(.mismatch(whole, failures: 3), "sha256", expected, actual, "3 times"),
      Sample(.mismatch(piece, failures: 3), "sha256", expected, actual, "3 times", "400-799"),
      Sample(.outputMismatch(whole), "sha256", expected, actual),
      Sample(.outputChanged(written: 31), "31"), Sample(.outputPieceWrong(number: 3, count: 8), "3", "8"),
      Sample(.outputPieceCount(found: 7, expected: 8), "7", "8"),
      Sample(.deadline(lastFault: .connectRefused(), hasReceived: false), "no data received", "connection refused"),
      Sample(.deadline(lastFault: nil, hasReceived: true), "not finished within the time limit"),
      Sample(.rejected(.exited(status: 7)), "verify command", "status 7"),
      Sample(.unconfirmed(failures: 3), "length", "3 compared"),
      Sample(.changedByJudge, "verify command", "changed"),
      Sample(.undecided, "not answered in time"),
      Sample(.unjudged(program: Array("judge".utf8), .notStarted(errno: 2)), "(judge)", "No such file or directory"),
      Sample(.streamUnjudged, "verify command"),
      Sample(.runDeadline, "deadline"), Sample(.signal(15), "signal 15"),
      Sample(.impossible(event: "mismatched", phase: "paused"), "mismatched", "paused"),
      Sample(.worded(.usage, message: "nothing to do", hint: "see --help"), "nothing to do"),
    ]

  @Test func `exist for each cause`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
  }

  @Test func `name what it is about and keep secrets`() {
    for sample in Self.samples {
      let error = Failure(sample.value)
      Wording.check(error.message, hint: error.hint(), facts: sample.facts, "\(sample.value)")
      let text = Diagnostic(error, name: Array("a.iso".utf8)).text
      #expect(text.hasPrefix("swiftget: a.iso: ") && !text.contains("secret"), "\(text)")
    }
  }

  @Test(arguments: [
    (LocalFailure.Operation.writePart, "cannot write the part file"), (.openPart, "cannot open the part file"),
    (.writeSidecar, "cannot write the sidecar"), (.syncContent, "cannot sync the data to disk"),
    (.readPart, "cannot read back the part file"), (.inspectTarget, "cannot inspect the target file"),
    (.useDirectory, "cannot use the directory dir"), (.createDirectory, "cannot create the directory dir"),
    (.writeDirectory, "cannot create a file in the directory dir"), (.writeOutput, "cannot write the output"),
    (.nameTarget, "cannot rename the part file to its final name"), (.openSidecar, "cannot open the sidecar"),
    (.removeSidecar, "the file is complete, but its sidecar cannot be removed"),
    (.syncDirectory, "the file is complete, but its directory cannot be synced"),
  ])
  func `say what failed and why`(operation: LocalFailure.Operation, words: String) {
    func hint(_ kind: LocalFailure.Kind) -> String? { Failure(Self.local(operation, kind)).hint(isSaved: true) }
    #expect(Failure(Self.local(operation)).message == "\(words): Input/output error")
    #expect(hint(.other) == nil && hint(.nameTooLong) == "choose a shorter name with -o (or out= in the list)")
    #expect(hint(.forbidden)?.contains("another directory with -d") == true)
    #expect(hint(.outOfSpace) == "free some space, then run the same command again to resume")
    #expect(hint(.fileTooLarge)?.contains("ulimit -f") == true && hint(.outOfDescriptors)?.contains("--jobs") == true)
  }

  @Test func `say which file of cookies cannot be saved, with no hint about the download`() {
    for kind in LocalFailure.Kind.allCases {
      let error = Failure(Self.local(.saveCookies, kind))
      #expect(error.message == "cannot save the cookies to dir: Input/output error" && error.hint() == nil)
    }
  }

  @Test func `tell one attempt from several, and one process from an unknown one`() {
    func message(_ attempts: Int) -> String {
      Failure(.transfer(.connectRefused(), at: Wording.location, attempts: attempts)).message
    }
    let words = "https://example.org/a.iso?…: connection refused"
    #expect(message(0) == words && message(1) == words && message(2) == words + " (2 attempts without progress)")
    #expect(Failure(.locked(process: 42)).message == "another swiftget is downloading this file (PID 42)")
    #expect(Failure(.locked(process: nil)).message == "another swiftget is downloading this file")
  }

  @Test func `say whether the whole or a piece is wrong`() {
    let words = "is \(Self.actual), expected \(Self.expected)"
    #expect(
      Failure(.mismatch(Self.whole, failures: 3)).message
        == "checksum verification failed 3 times: the sha256 \(words)")
    #expect(
      Failure(.mismatch(Self.piece, failures: 3)).message
        == "checksum verification failed 3 times: the sha256 of bytes 400-799 \(words)")
    #expect(Failure(.outputMismatch(Self.whole)).message == "the sha256 of the output \(words)")
  }
}
