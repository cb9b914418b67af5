@testable import DownloadCore
import DownloadFiles
@testable import DownloadEngine
import DownloadJSON
import TestSupport
import Testing

@testable import SwiftGet

/// What a session knows, without an engine: events and answers go in, sums and calls come out.
@Suite(.waiting) struct `The state of a session` {
  private var state = SessionState(historyLimit: 100)
  private var effects = StateEffects()
  private var checker = RequestChecker(base: RequestDirectory([Array("d".utf8)]), isNamedByAnswer: false)
  private var lastID: UInt64 = 0
  /// In milliseconds.
  private var time = 0

  private mutating func add(
    _ name: String, group: String? = nil, paused: Bool = false
  ) throws -> (id: TaskID, addition: SessionState.Addition) {
    lastID += 1
    let checked = try checker.check(DownloadRequest("http://127.0.0.1/\(name)", group: group))
    let addition = try state.add(checked, as: TaskID(lastID), paused: paused)
    return (addition.added.id, addition)
  }

  private func moment(_ milliseconds: Int? = nil) -> Moment {
    let time = Duration.milliseconds(milliseconds ?? time)
    return Moment(wall: time, now: Instant.zero + time)
  }

  private mutating func take(_ events: EngineEvent..., at milliseconds: Int? = nil) {
    state.take(events, moment(milliseconds), &effects) { _ in nil }
  }

  private func outcome(_ id: TaskID, _ name: String, _ result: Outcome.Result, byteCount: Int64 = 10) throws -> Outcome
  {
    let location = Location(scheme: .http, host: "127.0.0.1", port: 80, path: "/\(name)", query: nil)
    return Outcome(
      task: id, name: Array("d/\(name)".utf8), location: location, result: result, byteCount: byteCount,
      received: ReceivedBytes(), status: nil, verified: nil, elapsed: .zero, source: nil)
  }

  private func started(_ id: TaskID, _ name: String) -> EngineEvent {
    let location = Location(scheme: .http, host: "127.0.0.1", port: 80, path: "/\(name)", query: nil)
    return .started(id, name: Array("d/\(name)".utf8), location: location)
  }

  private func progress(
    _ id: TaskID, _ phase: FileProgress.Phase, _ bytes: Int64, of length: Int64?, fault: TransferFault? = nil,
    remaining: Duration? = nil, isOffline: Bool = false
  ) -> EngineEvent {
    var file = FileProgress(
      task: id, name: [], phase: phase, completeLength: length, doneByteCount: bytes, rate: 5, steadyRate: 5,
      connectionCount: 1)
    (file.fault, file.remaining) = (fault, remaining)
    var progress = RunProgress()
    progress.active = [file]
    progress.isOffline = isOffline
    return .progressed(progress)
  }

  private mutating func obey(_ change: TaskChange, _ id: TaskID, changed: Int = 1, finishing: Int = 0) -> CommandEffect
  {
    var answer = QueueAnswer()
    answer.changedCount = changed
    answer.finishingCount = finishing
    var effect = CommandEffect()
    state.obeyed(change, id, answer, &effect, moment(), &effects)
    return effect
  }

  @Test mutating func `what is added again while its removed task publishes is another task`() throws {
    let first = try add("f").id
    take(started(first, "f"))
    _ = obey(.remove, first, finishing: 1)
    let (second, addition) = try add("f")
    #expect(second != first && !addition.added.isExisting)
    take(.ended(try outcome(first, "f", .downloaded)))
    #expect(state.snapshot(first) == nil && state.snapshot(second)?.state == .waiting(.slot))
    #expect(try add("f").id == second)
  }

  @Test mutating func `a task goes through its states, and its bytes are counted once`() throws {
    let (id, addition) = try add("f")
    #expect(addition.commands.count == 1 && state.totals.counts == [.waiting: 1])
    take(started(id, "f"), progress(id, .receiving, 4, of: 10))
    #expect(state.totals.counts == [.running: 1] && state.totals.progress.bytes == 4)
    #expect(state.totals.progress.totalBytes == 10 && state.totals.progress.bytesPerSecond == 5)
    take(progress(id, .retrying, 6, of: 10))
    #expect(state.snapshot(id)?.state == .waiting(.retry))
    take(progress(id, .retrying, 6, of: 10, fault: .stalled, remaining: .seconds(40)))
    let end = try #require(state.snapshot(id)?.waitEndSince1970)
    #expect(end == moment().wall + .seconds(40) && state.snapshot(id)?.lastError?.contains("no data") == true)
    take(progress(id, .retrying, 6, of: 10, fault: .stalled, remaining: .milliseconds(39_500)))
    #expect(state.snapshot(id)?.waitEndSince1970 == end, "it does not tremble")
    take(progress(id, .retrying, 6, of: 10))
    #expect(state.snapshot(id)?.waitEndSince1970 == nil && state.snapshot(id)?.lastError == nil)
    take(progress(id, .verifying, 10, of: 10))
    #expect(state.snapshot(id)?.state == .verifying)
    take(.ended(try outcome(id, "f", .downloaded)))
    #expect(state.totals.counts == [.succeeded: 1] && state.totals.progress.bytes == 10 && state.history.lastEnd == 1)
    #expect(state.totals.activity == .settled && state.totals.progress.bytesPerSecond == nil)
  }

  @Test mutating func `a session with a task that may begin is active, one whose tasks cannot go on waits`() throws {
    #expect(state.totals.activity == .settled)
    let id = try add("f").id
    #expect(state.totals.activity == .active, "before the engine has it")
    take(started(id, "f"), progress(id, .receiving, 0, of: 10))
    #expect(state.totals.activity == .active)
    take(progress(id, .retrying, 0, of: 10))
    #expect(state.totals.activity == .waiting)
    let other = try add("g").id
    #expect(state.totals.activity == .active)
    take(started(other, "g"), .ended(try outcome(other, "g", .downloaded)))
    #expect(state.totals.activity == .waiting)
    take(.ended(try outcome(id, "f", .downloaded)))
    #expect(state.totals.activity == .settled)
  }

  @Test mutating func `a failure never makes the fraction fall`() throws {
    let ids = try (0..<3).map { try add("f\($0)").id }
    for (index, id) in ids.enumerated() { take(started(id, "f\(index)")) }
    for (id, bytes) in zip(ids, [9, 5, 0] as [Int64]) { take(progress(id, .receiving, bytes, of: 10)) }
    var last = try #require(state.totals.progress.fraction)
    #expect(state.totals.progress.bytes == 14 && last > 0.46 && last < 0.47)
    for (index, (id, bytes)) in zip(ids, [9, 5, 0] as [Int64]).enumerated() {
      take(.ended(try outcome(id, "f\(index)", .failed(Failure(.undecided)), byteCount: bytes)))
      let fraction = try #require(state.totals.progress.fraction)
      #expect(fraction >= last && state.totals.progress.bytes == 14)
      last = fraction
    }
    #expect(last == 1)
  }

  @Test mutating func `failures are forgotten after all others`() throws {
    state = SessionState(historyLimit: 3)
    let ids = try (0..<8).map { try add("f\($0)").id }
    for (index, id) in ids.enumerated() {
      take(started(id, "f\(index)"))
      take(.ended(try outcome(id, "f\(index)", index % 3 == 0 ? .failed(Failure(.undecided)) : .downloaded)))
    }
    #expect(state.records.all.map(\.id) == [ids[0], ids[3], ids[6]])
    let last = try add("last").id
    take(started(last, "last"), .ended(try outcome(last, "last", .downloaded)))
    #expect(state.records.all.map(\.id) == [ids[0], ids[3], ids[6]])
    let failed = try add("failed").id
    take(started(failed, "failed"), .ended(try outcome(failed, "failed", .failed(Failure(.undecided)))))
    #expect(state.records.all.map(\.id) == [ids[3], ids[6], failed])
    #expect(state.history.lastForgotten >= 9, "a loop that begins before has a gap")
  }

  @Test mutating func `a condition is told once when it begins and once when it ends, however many tasks wait`() throws
  {
    let ids = try (0..<20).map { try add("f\($0)").id }
    let feed = state.openFeed(every: .milliseconds(250), since: nil)
    func told() -> [Bool] {
      var told: [Bool] = []
      while let change = state.nextChange(feed) {
        if case .condition(.noNetwork, let isOver) = change { told.append(isOver) }
      }
      return told
    }
    for (index, id) in ids.enumerated() {
      take(started(id, "f\(index)"), progress(id, .retrying, 0, of: 10, isOffline: true))
    }
    state.tellConditions(&effects)
    state.tellConditions(&effects)
    #expect(told() == [false])
    for id in ids.dropLast() { take(progress(id, .receiving, 1, of: 10)) }
    state.tellConditions(&effects)
    #expect(told() == [])
    take(.ended(try outcome(ids[19], "f19", .downloaded)))
    state.tellConditions(&effects)
    #expect(told() == [true])
  }

  @Test func `ids increase whatever the clock does`() {
    let (now, day) = (Moment.current.wall, Duration.seconds(86_400))
    var last = TaskNumbers.next()
    for wall in [now, now - day, now - day, now + day, now, .zero, now + day] {
      let id = TaskNumbers.next(wall)
      #expect(id > last)
      last = id
    }
  }

  @Test(arguments: [-86_400_000, 86_400_000])
  mutating func `a clock that jumps by a day changes nothing but the times that are shown`(jump: Int) throws {
    let (id, other) = (try add("f").id, try add("g").id)
    let start = 200_000_000
    func moment(_ milliseconds: Int, isLater: Bool = false) -> Moment {
      let now = Duration.milliseconds(milliseconds)
      return Moment(wall: .milliseconds(start + (isLater ? jump : 0)) + now, now: Instant.zero + now)
    }
    let wait = [progress(id, .retrying, 6, of: 10, fault: .stalled, remaining: .seconds(40))]
    state.take([started(id, "f"), started(other, "g")] + wait, moment(0), &effects) { _ in nil }
    state.take([.ended(try outcome(other, "g", .downloaded))], moment(1), &effects) { _ in nil }
    state.take(wait, moment(2, isLater: true), &effects) { _ in nil }
    #expect(state.snapshot(id)?.waitEndSince1970 == moment(40_002, isLater: true).wall)
    state.take([.ended(try outcome(id, "f", .downloaded))], moment(3, isLater: true), &effects) { _ in nil }
    #expect(state.totals.counts == [.succeeded: 2] && state.history.lastEnd == 2)
    #expect(state.history.ends(after: 0).map(\.task) == [other, id])
    // The time of an end may be in the future.
    state.forget(olderThan: .seconds(3_600), moment(4, isLater: true), &effects)
    #expect((state.snapshot(other) == nil) == (jump > 0) && state.snapshot(id) != nil)
  }

  @Test mutating func `an end that the engine has told before a command was obeyed stays the later one`() throws {
    let id = try add("f").id
    take(started(id, "f"), .ended(try outcome(id, "f", .failed(Failure(.undecided)))))
    _ = obey(.retry, id)
    #expect(state.snapshot(id)?.state == .waiting(.slot))
    take(.ended(try outcome(id, "f", .kept)))
    #expect(state.snapshot(id)?.state.kind == .succeeded && state.history.lastEnd == 2)
  }

  @Test mutating func `a task that only a list of added tasks keeps is not done again, but another one is made`() throws
  {
    state = SessionState(historyLimit: 0)
    let pin = state.history.pin(from: TaskID(1))
    let first = try add("f").id
    take(.ended(try outcome(first, "f", .downloaded)))
    #expect(state.snapshot(first)?.state.kind == .succeeded)
    let (second, addition) = try add("f")
    #expect(second != first && !addition.added.isExisting && addition.commands.count == 1)
    var effects = StateEffects()
    state.release(pin, &effects)
    #expect(state.snapshot(first) == nil && state.snapshot(second)?.state == .waiting(.slot))
    #expect(try add("f").id == second)
  }

  @Test mutating func `a file that gets its name while it is removed is deleted, if that was asked for`() throws {
    let id = try add("f").id
    take(started(id, "f"))
    var answer = QueueAnswer()
    answer.changedCount = 1
    answer.finishingCount = 1
    var effect = CommandEffect()
    state.obeyed(.remove, id, answer, &effect, leaving: .deletingFile, moment(), &effects)
    #expect(effect.finishing == 1 && state.snapshot(id) != nil)
    let file = PlacedFile(device: 1, inode: 2, size: 10, modified: FileTime(seconds: 3))
    state.take([.ended(try outcome(id, "f", .downloaded))], moment(), &effects) { _ in file }
    #expect(state.snapshot(id) == nil && effects.deletions.map(\.file) == [file])
    #expect(state.totals.files == 0 && state.groups.unsettledCount == 0)
  }

  @Test mutating func `totals begin anew when nothing was unsettled`() throws {
    for name in ["a", "b"] {
      let id = try add(name).id
      take(.ended(try outcome(id, name, .downloaded)))
      #expect(state.totals.counts == [.succeeded: 1])
    }
    let (c, d) = (try add("c", group: "g").id, try add("d").id)
    take(.ended(try outcome(d, "d", .downloaded)))
    #expect(state.totals.counts == [.waiting: 1, .succeeded: 1])
    let group = try #require(state.groups.known("g"))
    #expect(state.totals(of: group).counts == [.waiting: 1])
    take(.ended(try outcome(c, "c", .failed(Failure(.undecided)))))
    #expect(state.totals.counts == [.failed: 1, .succeeded: 1] && state.totals.progress.totalBytes == 20)
    // One that settled long ago is counted again from now on.
    _ = obey(.retry, c)
    #expect(state.totals.counts == [.waiting: 1] && state.totals(of: group).counts == [.waiting: 1])
  }

  @Test mutating func `the flags of group and session pause each by itself`() throws {
    let (a, b) = (try add("a", group: "g").id, try add("b", paused: true).id)
    let group = try #require(state.groups.known("g"))
    var effect = CommandEffect()
    state.obeyedFlag(true, of: group, QueueAnswer(), &effect, moment(), &effects)
    #expect(state.snapshot(a)?.state == .paused(by: .group) && state.snapshot(b)?.state == .paused(by: .task))
    state.obeyedFlag(true, of: nil, QueueAnswer(), &effect, moment(), &effects)
    #expect(state.snapshot(a)?.state == .paused(by: [.group, .session]))
    #expect(state.totals.counts == [.paused: 2] && state.totals.activity == .paused)
    effect = CommandEffect()
    state.obeyedFlag(false, of: nil, QueueAnswer(), &effect, moment(), &effects)
    #expect(effect.stillPaused == 2 && effect.pausedBy == [.group, .task])
  }

  @Test mutating func `one that is in no report is asked about, and goes back to the queue`() throws {
    let id = try add("f").id
    take(started(id, "f"), .progressed(RunProgress()))
    #expect(effects.questions.isEmpty)
    take(.progressed(RunProgress()))
    #expect(effects.questions == [id] && state.snapshot(id)?.state == .running)
    var description = TaskDescription(
      task: id, group: .main, priority: 0, activity: .waiting(.fullDisk, remaining: nil), pauses: [], name: [],
      mirrors: [], done: ByteRangeSet(), hosts: [])
    let waits: [(TaskDescription.Activity, DownloadTaskWait)] = [
      (.waiting(.fullDisk, remaining: nil), .diskFull), (.queued(.host), .host), (.queued(.jobs), .slot),
    ]
    for (activity, wait) in waits {
      description.activity = activity
      state.described([description], moment(), &effects)
      #expect(state.snapshot(id)?.state == .waiting(wait))
    }
  }

  @Test mutating func `a feed has a task's state once, and every end up to a limit`() throws {
    let id = try add("f").id
    let feed = state.openFeed(every: .milliseconds(250), since: nil)
    for bytes in 0..<10 { take(started(id, "f"), progress(id, .receiving, Int64(bytes), of: 10), at: bytes * 300) }
    let first = (0..<3).map { _ in state.nextChange(feed) }
    guard case .task(let snapshot)? = first[0], case .upToDate? = first[1], case .totals? = first[2] else {
      throw Unexpected(first)
    }
    #expect(snapshot.progress.bytes == 9)
    #expect(state.nextChange(feed) == nil)
    for _ in 0...ChangeFeed.mostChanges {
      take(.ended(try outcome(id, "f", .kept)))
      _ = obey(.retry, id)
    }
    let second = (0..<3).map { _ in state.nextChange(feed) }
    guard case .gap? = second[0], case .task? = second[1], case .upToDate? = second[2] else { throw Unexpected(second) }
  }

  private struct Unexpected: Error {
    let changes: [DownloadSession.Change?]

    init(_ changes: [DownloadSession.Change?]) { self.changes = changes }
  }

  /// Does what a session may do, chosen at random.
  ///
  /// - Parameter ids: the tasks that there are.
  private mutating func changeSomething(_ round: Int, _ ids: inout [TaskID], _ generator: inout SeededGenerator) throws
  {
    let names = (0..<60).map { "\($0)" }
    let id = ids.randomElement(using: &generator)
    let name = id.flatMap { state.records[$0] }.map { String(decoding: $0.path.dropFirst(3), as: UTF8.self) } ?? "0"
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1:
      let new = names.randomElement(using: &generator)!
      let (added, addition) = try add(new, group: round % 3 == 0 ? "g" : nil, paused: round % 7 == 0)
      if !addition.added.isExisting { ids.append(added) }
    case 2: if let id { take(started(id, name)) }
    case 3: if let id { take(progress(id, .receiving, Int64.random(in: 0..<9, using: &generator), of: 10)) }
    case 4: if let id { take(.ended(try outcome(id, name, .downloaded))) }
    case 5: if let id { take(.ended(try outcome(id, name, .failed(Failure(.undecided))))) }
    case 6: if let id, state.records[id]?.isSettled == true { _ = obey(.retry, id) }
    case 7: if let id, state.records[id]?.isSettled == false { _ = obey(.pause, id) }
    case 8: if let id { _ = obey(.resume, id) }
    case 9:
      var effect = CommandEffect()
      let group = round % 2 == 0 ? state.groups.known("g") : nil
      state.obeyedFlag(Bool.random(using: &generator), of: group, QueueAnswer(), &effect, moment(), &effects)
    case 10: if let id { take(.ended(try outcome(id, name, .withdrawn(.removed)))) }
    default: if let id, let group = state.groups.id(of: "h") { _ = obey(.move(.group(group)), id) }
    }
    ids.removeAll { state.records[$0] == nil }
  }

  @Test mutating func `sums equal a recount at any moment of 10,000 random changes`() throws {
    var generator = SeededGenerator(seed: 9)
    var ids: [TaskID] = []
    for round in 0..<10_000 {
      try changeSomething(round, &ids, &generator)
      #expect(recount(nil) == state.totals.counts, "round \(round)")
      let whole = Dictionary(grouping: state.records.all) { $0.kind(state.groups.flags(of: $0.group)) }
      #expect(whole.mapValues(\.count) == state.wholeTotals.counts, "round \(round)")
      for name in ["g", "h"] {
        if let group = state.groups.known(name) { #expect(recount(group) == state.totals(of: group).counts) }
      }
      #expect(state.groups.unsettledCount == state.records.all.count { !$0.isSettled })
      effects = StateEffects()
      if state.totals.counts != recount(nil) { break }
    }
  }

  @Test mutating func `a state that follows another one by its news is the same, whenever it has heard of all`() throws
  {
    var generator = SeededGenerator(seed: Fuzz.seed)
    var ids: [TaskID] = []
    var follower = SessionState(historyLimit: 100)
    var reader = NewsReader()
    var version: Int?
    var hasLostNews = false
    reader.begin()
    var feed = state.openFeed(every: .milliseconds(250), since: 0)
    for round in 0..<10_000 {
      time += 300
      try changeSomething(round, &ids, &generator)
      if let last = ids.last, let record = state.records[last] { state.tellChange(of: record, &effects) }
      let choice = Int.random(in: 0..<100, using: &generator)
      if choice == 0, round > 3000 {
        // News were lost, and everything is reported anew.
        hasLostNews = true
        state.feeds[feed] = nil
        feed = state.openFeed(every: .milliseconds(250), since: 0)
        try tell("gap", JSONObject(), &follower, &reader)
      }
      if choice > 20 { continue }
      if version != state.groups.version { try tell("session", state.groups.sessionText, &follower, &reader) }
      version = state.groups.version
      while let change = state.nextChange(feed) {
        if let (method, parameters) = change.news { try tell(method, parameters, &follower, &reader) }
      }
      #expect(reader.isComplete)
      for id in reader.doubtful where state.records[id] == nil { follower.followRemoval(of: id, moment(), &effects) }
      reader.doubtful = []
      let (own, followed) = (state.records.all.map(\.id), follower.records.all.map(\.id))
      #expect(own == followed, "round \(round), seed \(Fuzz.seed)")
      let different = own.first { state.snapshot($0) != follower.snapshot($0) }
      if let different {
        Issue.record(
          "round \(round), seed \(Fuzz.seed): \(all(of: follower.snapshot(different))), not \(all(of: state.snapshot(different)))"
        )
        break
      }
      #expect(follower.wholeTotals.counts == state.wholeTotals.counts)
      // Ends of tasks that have begun again, or left, are told no more.
      let (lastEnd, lastFollowed) = (state.history.lastEnd, follower.history.lastEnd)
      #expect(lastFollowed == lastEnd || hasLostNews && lastFollowed < lastEnd)
      effects = StateEffects()
    }
  }

  private func all(of snapshot: DownloadTaskSnapshot?) -> String {
    guard let snapshot else { return "nothing" }
    return "\(snapshot), \(snapshot.group), \(snapshot.priority), \(snapshot.settings), \(snapshot.isResumable), "
      + "\(snapshot.failedAttempts), \(snapshot.startedSince1970 as Any), \(snapshot.endedSince1970 as Any), "
      + "\(snapshot.head as Any), \(snapshot.connections)"
  }

  /// Reports something to the follower, as text.
  private mutating func tell(
    _ method: String, _ parameters: JSONObject, _ follower: inout SessionState, _ reader: inout NewsReader
  ) throws {
    reader.take(method, try JSONValue.parse(parameters.text[...]).get(), &follower, moment(), &effects)
  }

  /// The tasks of a group, or of the session, that its totals cover.
  private func recount(_ group: GroupID?) -> [DownloadTask.State.Kind: Int] {
    let covered = state.records.all.filter { record in
      if let group { return record.group == group && record.groupStretch == state.groups[group].stretch }
      return record.sessionStretch == state.groups.stretch
    }
    return Dictionary(grouping: covered) { $0.kind(state.groups.flags(of: $0.group)) }.mapValues(\.count)
  }
}
