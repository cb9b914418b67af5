internal import CommandOptions
internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport
internal import DownloadWords
internal import Glibc
internal import SwiftGet

/// `ctl wait`: until the tasks have settled that are selected at the call.
struct WaitVerb {
  private let run: VerbContext
  private let terms: [DownloadSelector]
  /// Nil is unlimited.
  private let time: Duration?

  init(_ run: VerbContext) throws(ControlFailure) {
    self.run = run
    terms = try run.neededTerms(run.line.operands)
    time = try run.line[.timeout].map { (text) throws(ControlFailure) in
      guard let time = OptionValues.duration(Array(text.utf8)) else {
        throw ControlFailure(.usage, "--timeout \(text): it is a time such as 30, 5m or 1h")
      }
      return time
    }
  }

  func perform() throws(ControlFailure) -> ControlStatus {
    let deadline = time.map { Clock.now() + $0 } ?? .distantFuture
    let link = try run.link()
    defer { link.close() }
    var ends = Ends()
    let isComplete = run.tellUnknown(try ends.select(Self.select(terms), link))
    if !ends.isAny, Set(terms) != [.all] {
      if isComplete { run.place.tell(Diagnostic(message: "nothing matches")) }
      return .notDone
    }
    while !ends.isOver {
      guard link.worker != nil else {
        throw ControlFailure(
          .store,
          "nobody works on session \(link.name), and \(Humanized.count(ends.unsettled.count, "task")) would never end",
          hint: "start it with \"swiftget serve -S \(link.name)\"")
      }
      do throws(ControlFailure) {
        guard try ends.follow(link, until: deadline, every: .seconds(600), { _, _, _ in true }) else {
          run.place.tell(Diagnostic(message: "\(Humanized.count(ends.unsettled.count, "task")) not settled in time"))
          tellShortfall(ends, link)
          return .timedOut
        }
      } catch {
        guard error.isLost else { throw error }
        // Another process may take over.
        try takeOver(link)
      }
    }
    tellShortfall(ends, link)
    return ends.status == .done && !isComplete ? .notDone : ends.status
  }

  private func tellShortfall(_ ends: Ends, _ link: SessionLink) {
    let session = SessionWork.options(link.name, in: link.finder.parent)
    if let shortfall = ends.shortfall(session) { run.place.tell(shortfall) }
  }

  /// `@all` is what has not settled.
  private static func select(_ terms: [DownloadSelector]) -> [String] {
    if case .selection(let selected) = ControlReach(terms, for: .cancel), Set(terms) == [.all] {
      return selected.map(\.text)
    }
    return terms.map(\.text)
  }

  private func takeOver(_ link: SessionLink) throws(ControlFailure) {
    let patience = Clock.now() + .seconds(10)
    while true {
      try link.reconnect()
      if link.worker != nil { return }
      link.close()
      guard Clock.now() < patience else {
        throw ControlFailure(
          .store, "the process that worked on session \(link.name) has ended, and no other one continues",
          hint: "start it with \"swiftget serve -S \(link.name)\"")
      }
      Waiting.pause(.milliseconds(200))
    }
  }
}

extension Waiting {
  static func pause(_ time: Duration) { usleep(UInt32(clamping: time.wholeNanoseconds / 1000)) }
}
