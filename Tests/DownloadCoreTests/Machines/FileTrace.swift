import TestSupport

@testable import DownloadCore

/// A `RunMachine` with one file. The test acts as the driver: it reports events and reads the actions as short texts,
/// such as `get 0 a/f all` (start transfer 0 of host a, path /f, without a range).
final class FileTrace {
  var run: RunMachine
  var now = Instant.zero
  private(set) var said: [String] = []
  /// The notices above the level of details.
  private(set) var notices: [Remark] = []
  private(set) var failure: Failure?
  /// The pieces to be verified.
  var checks: [PieceCheck] = []

  /// A digest to be given.
  static let digest = ContentDigest(.md5, repeating: 7)

  static func location(_ host: String, path: String = "/f") -> Location {
    Location(scheme: .https, host: host, port: 443, path: path, query: nil)
  }

  init(
    hosts: [String] = ["a"], digests: [ContentDigest] = [], expectedLength: Int64? = nil,
    pieces: PieceHashes? = nil, name: [UInt8] = [], beginning: FileMachine.Beginning = .fresh,
    _ change: (inout RunSettings) -> Void = { _ in }
  ) {
    var settings = RunSettings()
    settings.file.minSplitSize = 64 << 10
    change(&settings)
    run = RunMachine(settings: settings)
    let machine = FileMachine(
      item: 0, mirrors: hosts.map { Self.location($0) }, digests: digests, expectedLength: expectedLength,
      pieces: pieces, name: name, settings: run.fileSettings, beginning: beginning, now: .zero)
    var actions: [RunAction] = []
    run.add(machine, now: now, &actions)
    note(actions)
  }

  /// The actions since the last call.
  func take() -> [String] {
    defer { said = [] }
    return said
  }

  func perform(_ body: (inout RunMachine, Instant, inout [RunAction]) -> Void) {
    var actions: [RunAction] = []
    body(&run, now, &actions)
    note(actions)
  }

  private func note(_ actions: [RunAction]) {
    said += actions.compactMap(Self.word)
    for case .notice(_, let level, let remark) in actions where level != .detail { notices.append(remark) }
    for case .verify(_, let check) in actions { checks.append(check) }
    for case .fail(_, let error) in actions { failure = error }
  }

  private static func word(_ action: RunAction) -> String? {
    switch action {
    case .start(let order):
      let what = order.purpose == .confirmation ? "confirm" : order.purpose == .head ? "head" : "get"
      return
        "\(what) \(order.id.number) \(order.location.host)\(order.location.path) \(order.asked.rangeText ?? "all")"
        + (order.avoidsHTTP2 ? " over HTTP/1.1" : "")
    case .setEnd(let id, let end): return "end \(id.number) at \(end)"
    case .stop(let id): return "stop \(id.number)"
    case .discardContent: return "discard"
    case .mirrorsJoin(_, let mirrors): return "join \(mirrors.map(\.host).joined(separator: " "))"
    case .adopt(_, let known): return "adopt \(known.completeLength.map(String.init) ?? "?")"
    case .verify(_, let check): return "verify \(check.index)"
    case .discardRange(_, let range): return "lose \(range.lowerBound)-\(range.upperBound - 1)"
    case .conclude(_, let conclusion): return "conclude \(conclusion.completeLength) \(conclusion.expected.count)"
    case .judge: return "judge"
    case .publish(_, let conclusion): return "publish \(conclusion.completeLength)"
    case .keep: return "keep"
    case .setAside(_, let error): return "set aside \(error.code)"
    case .fail(_, let error): return "fail \(error.code)"
    case .notice: return nil
    }
  }

  @discardableResult
  func head(
    _ id: Int, _ status: Int, length: Int64? = nil, range: Range<Int64>? = nil, of complete: Int64 = 1000,
    tag: String? = "v", redirectTo: String? = nil, links: [LinkedMirror] = [],
    _ change: (inout ResponseHead) -> Void = { _ in }
  ) -> BodyDisposition {
    var head = ResponseHead(status: status)
    head.date = 1000
    head.contentLength = length
    head.entityTag = tag.flatMap { EntityTag(parsing: "\"\($0)\"".utf8) }
    if let range {
      head.contentRange = .satisfied(range, completeLength: complete)
      head.contentLength = range.upperBound - range.lowerBound
    }
    if redirectTo != nil { head.location = [47] }
    change(&head)
    var disposition = BodyDisposition.stop
    perform { run, now, actions in
      disposition = run.headReceived(
        TransferID(number: id), head, redirectTarget: redirectTo.map { Self.location($0, path: "/target") },
        linkedMirrors: links, roundTrip: nil, unixTime: 1000, now: now, &actions)
    }
    return disposition
  }

  func advanced(_ id: Int, _ offset: Int64) {
    perform { run, _, actions in
      run.received(TransferID(number: id), byteCount: 1)
      run.advanced(TransferID(number: id), to: offset, &actions)
    }
  }

  func ended(_ id: Int, _ ending: TransferEnding = .complete(digest: nil)) {
    perform { run, now, actions in
      run.transferEnded(TransferID(number: id), ending, now: now, random: 0, &actions)
    }
  }

  /// - Parameter actual: each byte of the content's digest.
  func mismatched(_ expected: ContentDigest, _ source: ExpectedDigest.Source = .given, actual: UInt8 = 0) {
    let actual = ContentDigest(.md5, repeating: actual)
    perform { run, now, actions in
      run.mismatched(0, expected: ExpectedDigest(expected, source), actual: actual, now: now, &actions)
    }
  }

  func wait(milliseconds: Int64) {
    now = now + .milliseconds(milliseconds)
    perform { run, now, actions in run.ticked(now: now, &actions) }
  }

  func control(_ body: (inout RunMachine, Instant, inout [RunAction]) -> Void) { perform(body) }
}
