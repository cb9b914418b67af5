internal import DownloadCore
internal import DownloadFiles
internal import DownloadTransport

/// Has done what the machines ask for.
protocol ActionPerformer: AnyObject {
  func perform(_ actions: [RunAction])
  /// - Returns: false if the task is not called back.
  @discardableResult
  func perform(_ effect: QueueEffect) -> Bool
}

/// What all parts of an engine's loop know: its settings, the machines, the active items, the time, and what subscribers
/// are told.
final class EngineState {
  var settings: RunSettings
  let endsWhenIdle: Bool
  /// Tasks that have ended and can be done again, at most.
  let settledLimit: Int
  let events: EventHub
  /// Events of this round, which are published at its end.
  private(set) var untold: [EngineEvent] = []
  let place: DownloadPlace
  let workers: Workers
  let gate: DecisionGate

  var queue: QueueMachine
  var requests: RequestFeed
  var lockedTargets: LockedTargets
  var machine: RunMachine
  var items: [ItemHandle: ActiveItem] = [:]
  var meter: ProgressMeter
  var end = RunEnd()
  var time: LoopTime
  /// For the jitter of waits. Seeded once, because a system call for each number is measurable.
  private var randomState = UInt64.random(in: 0 ... .max)

  unowned var performer: (any ActionPerformer)!

  /// Files at a time where the user names no number; what hosts admit is far less.
  static let defaultJobs = 1024

  init(
    settings: RunSettings, place: DownloadPlace, requests: RequestFeed, events: EventHub, endsWhenIdle: Bool,
    settledLimit: Int, workers: Workers, gate: DecisionGate, now: Instant
  ) {
    self.settings = settings
    self.place = place
    self.requests = requests
    self.events = events
    self.endsWhenIdle = endsWhenIdle
    self.settledLimit = settledLimit
    self.workers = workers
    self.gate = gate
    machine = RunMachine(settings: settings)
    queue = QueueMachine(jobs: settings.limits.jobs ?? Self.defaultJobs, settledLimit: settledLimit)
    queue.ends.failureLimit = settings.limits.maxFailures
    queue.ends.expectedCount = requests.itemCount
    lockedTargets = LockedTargets(wait: settings.limits.lockWait)
    meter = ProgressMeter(now: now)
    time = LoopTime(now: now)
  }

  /// Tells the machine of an event, and has done what it asks for.
  func feed(_ event: (inout RunMachine, inout [RunAction]) -> Void) {
    var actions: [RunAction] = []
    event(&machine, &actions)
    performer.perform(actions)
  }

  /// Keeps an event for the subscribers, if there are any.
  func tell(_ event: @autoclosure () -> EngineEvent) {
    if events.isHeard { untold.append(event()) }
  }

  func tellEvents() {
    events.publish(untold)
    untold.removeAll(keepingCapacity: true)
  }

  var isNothingLeft: Bool { requests.hasEnded && queue.isIdle }

  /// Whether only targets that other runs hold may be left.
  var isNothingElseLeft: Bool { requests.hasEnded && queue.hasOnlyWaiting }

  var endsEarly: Bool { !end.isWhole }

  /// The time at which the loop woke up; all events of one round have this time.
  var now: Instant { time.now }

  /// A number in 0..<1 for the machines' jitter.
  func random() -> Double {
    randomState = randomState &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(randomState >> 11) / 9_007_199_254_740_992
  }

  /// The list cannot be read on, or there are no threads.
  func stop(_ error: Failure) {
    end.failureCodes.insert(error.code)
    end.stoppedBy = error
  }

  func notice(_ item: ActiveItem?, _ level: Notice.Level, _ remark: Remark) {
    tell(.noticed(Notice(task: item?.task, name: item?.name, level: level, remark)))
  }

  /// Reserves the name of a file where answers name files. Of a run no two files get one name, also if one has ended.
  func reserve(_ name: [UInt8], for task: TaskID) throws(Failure) {
    try place.reserve(name, for: task) { endsWhenIdle || queue.handle(of: $0) != nil }
  }
}
