import Testing

@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Words of notices` {
  /// The cases of `Remark`: the compiler asks for a new one below, and the test for a sample of it.
  private enum Name: CaseIterable {
    case startingOver, sidecarIgnored, sidecarExceedsPart, goingOn, foreignFileLeftAlone, heldElsewhere, targetIsWrong
    case targetAppeared, waitingForOtherRuns, commandFailed
    case syncUnsupported, failed, setAside, hostUnreachable, retrying, rangesUnsupported, versionInDoubt,
      mirrorDisagrees, hostRefuses
    case leavingMirror, requestingOverHTTP1, foreignPage
    case leavingSlowMirror, mirrorsJoined, mismatch, unconfirmed, notStarted, othersNotStarted, status

    init(_ remark: Remark) {
      self =
        switch remark {
        case .startingOver: .startingOver
        case .sidecarIgnored: .sidecarIgnored
        case .sidecarExceedsPart: .sidecarExceedsPart
        case .goingOn: .goingOn
        case .foreignFileLeftAlone: .foreignFileLeftAlone
        case .heldElsewhere: .heldElsewhere
        case .targetAppeared: .targetAppeared
        case .waitingForOtherRuns: .waitingForOtherRuns
        case .targetIsWrong: .targetIsWrong
        case .failed: .failed
        case .setAside: .setAside
        case .syncUnsupported: .syncUnsupported
        case .hostUnreachable: .hostUnreachable
        case .retrying: .retrying
        case .rangesUnsupported: .rangesUnsupported
        case .versionInDoubt: .versionInDoubt
        case .requestingOverHTTP1: .requestingOverHTTP1
        case .foreignPage: .foreignPage
        case .mirrorDisagrees: .mirrorDisagrees
        case .hostRefuses: .hostRefuses
        case .leavingMirror: .leavingMirror
        case .leavingSlowMirror: .leavingSlowMirror
        case .mirrorsJoined: .mirrorsJoined
        case .mismatch: .mismatch
        case .unconfirmed: .unconfirmed
        case .commandFailed: .commandFailed
        case .notStarted: .notStarted
        case .othersNotStarted: .othersNotStarted
        case .status: .status
        }
    }
  }

  /// The cases of `StartOverReason`.
  private enum ReasonName: CaseIterable {
    case asked, exposedPart, digestUnavailable, nothingRecorded, coded, otherDigest, noSource, otherURL, noVersion
    case severalMirrors, changed, firstMirrorDiffers

    init(_ reason: StartOverReason) {
      self =
        switch reason {
        case .asked: .asked
        case .exposedPart: .exposedPart
        case .digestUnavailable: .digestUnavailable
        case .nothingRecorded: .nothingRecorded
        case .coded: .coded
        case .otherDigest: .otherDigest
        case .noSource: .noSource
        case .otherURL: .otherURL
        case .noVersion: .noVersion
        case .severalMirrors: .severalMirrors
        case .changed: .changed
        case .firstMirrorDiffers: .firstMirrorDiffers
        }
    }
  }

  private static let reasons: [Sample<StartOverReason>] =
    `Words of faults`.changes.map { Sample(.changed($0.value), $0.facts[0]) }
    + [
      Sample(.asked, "as asked"), Sample(.exposedPart, "part file"),
      Sample(.digestUnavailable(.sha3_256), "sha3-256"),
      Sample(.nothingRecorded), Sample(.coded("gzip"), "gzip"), Sample(.otherDigest, "part file"),
      Sample(.noSource, "sidecar"), Sample(.otherURL, "part file"), Sample(.noVersion),
      Sample(.severalMirrors, "mirrors"),
      Sample(.firstMirrorDiffers(Wording.location), "https://example.org/a.iso"),
    ]

  private static let mismatch = DigestMismatch(expected: Wording.digest, actual: Wording.otherDigest)
  private static let wrongPiece = DigestMismatch(
    expected: Wording.digest, actual: Wording.otherDigest, range: 400..<800)

  private static let progress: RunProgress = {
    var run = RunProgress()
    run.itemCount = 97
    run.downloadedCount = 20
    run.keptCount = 3
    run.failedCount = 5
    run.doneByteCount = 3 << 20
    run.connectionCount = 11
    return run
  }()

  private static let samples: [Sample<Remark>] =
    reasons.map { Sample(.startingOver($0.value), "starting over") }
    + ForeignFile.Reason.allCases.map {
      Sample(.foreignFileLeftAlone(ForeignFile(name: Array("x.swiftget".utf8), $0)), "x.swiftget")
    }
    + [
      Sample(.heldElsewhere(process: 42), "42"), Sample(.heldElsewhere(process: nil), "another swiftget"),
      Sample(.targetAppeared, "appeared during the download", "after the other files"),
      Sample(.waitingForOtherRuns(count: 3, atMost: .seconds(90)), "3 files", "1m30s"),
      Sample(
        .commandFailed(option: "--on-exit", program: Array("x".utf8), .exited(status: 3)), "--on-exit (x)", "status 3"),
      Sample(
        .commandFailed(option: "--on-exit", program: Array("x".utf8), .killed(signal: 9)), "--on-exit", "signal 9"),
      Sample(.commandFailed(option: "--on-exit", program: Array("x".utf8), .timedOut), "--on-exit", "time limit"),
      Sample(
        .commandFailed(option: "--on-exit", program: Array("x".utf8), .cancelled), "--on-exit", "ended with the run"),
      Sample(
        .commandFailed(option: "--on-exit", program: Array("x".utf8), .notStarted(errno: 2)), "--on-exit",
        "No such file or directory"),
      Sample(.sidecarIgnored(.damaged), "sidecar"), Sample(.sidecarIgnored(.foreign), "sidecar"),
      Sample(.sidecarIgnored(.exposed), "other users"), Sample(.sidecarIgnored(.future(version: 7)), "version 7"),
      Sample(.sidecarExceedsPart, "sidecar", "part file"), Sample(.goingOn(after: 123), "123"), Sample(.targetIsWrong),
      Sample(.failed(Failure(.partLengthChanged(found: 99))), "99"),
      Sample(.syncUnsupported, "cannot sync"),
      Sample(.setAside(as: Array("f.swiftget-bad".utf8)), "f.swiftget-bad"),
      Sample(.hostUnreachable(Wording.location.origin, .connectRefused()), "https://example.org", "refused"),
      Sample(
        .hostRefuses(Wording.location.origin, .status(429), pause: .seconds(42)), "https://example.org: ",
        "429 Too Many Requests", "42 s"),
      Sample(.hostRefuses(Wording.location.origin, .status(503), pause: nil), "503", "slowing down"),
      Sample(.retrying(.nameLookup(Wording.detail)), Wording.detail), Sample(.rangesUnsupported, "ranges"),
      Sample(.requestingOverHTTP1, "HTTP/1.1"), Sample(.foreignPage(from: "login.example"), "login.example"),
      Sample(.versionInDoubt(.entityTag), "ETag"),
      Sample(.mirrorDisagrees(Wording.location), "https://example.org/a.iso"),
      Sample(.leavingMirror(Wording.location, .status(404)), "https://example.org/a.iso", "404"),
      Sample(.leavingSlowMirror(Wording.location), "https://example.org/a.iso"),
      Sample(.mirrorsJoined(1), "1 mirror that"), Sample(.mirrorsJoined(7), "7 mirrors that"),
      Sample(.unconfirmed, "differ", "downloading it again"),
      Sample(.mismatch(mismatch), Wording.digest.hex, Wording.otherDigest.hex, "downloading the file again"),
      Sample(
        .mismatch(wrongPiece), "400-799", Wording.digest.hex, Wording.otherDigest.hex, "downloading these bytes again"),
      Sample(.notStarted), Sample(.othersNotStarted(54), "54"),
      Sample(.status(progress), "23 of 97", "5 failed", "3.0 MiB", "11 connections"),
    ]

  @Test func `exist for each remark and each reason`() {
    #expect(Set(Self.samples.map { Name($0.value) }) == Set(Name.allCases))
    #expect(Set(Self.reasons.map { ReasonName($0.value) }) == Set(ReasonName.allCases))
  }

  @Test func `tell its facts`() {
    for sample in Self.samples {
      Wording.check(NoticeMessages.text(sample.value), facts: sample.facts, "\(sample.value)")
    }
    for sample in Self.reasons {
      Wording.check(NoticeMessages.text(.startingOver(sample.value)), facts: sample.facts, "\(sample.value)")
    }
  }

  @Test func `name a mirror and what is wrong with it`() {
    func text(_ remark: Remark) -> String { NoticeMessages.text(remark) }
    let mirror = "https://example.org/a.iso?…"
    #expect(
      text(.leavingMirror(Wording.location, .wrongContent))
        == "dropping mirror \(mirror): the content does not match the checksum")
    #expect(text(.leavingSlowMirror(Wording.location)) == "dropping mirror \(mirror): much slower than another mirror")
    #expect(text(.mirrorDisagrees(Wording.location)).hasPrefix("\(mirror) has another version"))
    #expect(text(.sidecarIgnored(.exposed)) == "ignoring the sidecar: other users could write to it")
    #expect(text(.startingOver(.exposedPart)) == "starting over: other users could write to the part file")
  }
}
