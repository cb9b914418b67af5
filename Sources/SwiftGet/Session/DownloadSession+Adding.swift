internal import DownloadCore
internal import DownloadEngine

extension DownloadSession {
  /// A task that was added, or that was there.
  public struct Added: Sendable {
    /// The task.
    public let task: DownloadTask
    /// Whether the session had the task already.
    public let isExisting: Bool
    /// Whether the task was there, had settled and begins again.
    public let isRestarted: Bool
    /// What of the request differs from the task, which keeps its own.
    public let kept: Differences
  }

  /// Parts of a request.
  public typealias Differences = DownloadDifferences

  /// What became of several requests. Its tasks stay known as long as it is there, whatever the history's limit is.
  public struct AddedList: Sendable {
    /// A request that was not added.
    public struct Failure: Sendable {
      /// Its place among the requests, or among the entries of the list, from 0.
      public let index: Int
      /// The request; nil for an entry of a list that is none.
      public let request: DownloadRequest?
      /// What is wrong with it.
      public let error: DownloadError
    }

    let session: DownloadSession
    let ids: [TaskID]
    /// As long as the list is there, its tasks are known.
    let pin: ListPin
    /// Those that were not added.
    public let failures: [Failure]

    /// The tasks, in the order of their requests.
    public var tasks: [DownloadTask] { ids.map { DownloadTask(id: DownloadTaskID($0), session: session) } }

    /// Waits until all tasks have settled.
    ///
    /// - Parameter onProgress: called on the caller's isolation, now and then.
    /// - Returns: the files in the order of the requests.
    /// - Throws: `DownloadFailures` if one of them is missing, or was not added; `CancellationError` if the Swift task is
    ///   cancelled, which leaves the tasks alone; `DownloadError` if the session is closed.
    public nonisolated(nonsending) func files(
      onProgress: (DownloadTotals) -> Void = { _ in }
    ) async throws -> [DownloadedFile] {
      let results = try await session.driver.results(of: ids, onProgress: onProgress)
      return try DownloadFailures.files(of: Self.merged(results, failures))
    }

    /// - Returns: the results of all requests, in their order.
    static func merged(
      _ results: [Result<DownloadedFile, DownloadError>], _ failures: [Failure]
    ) -> [Result<DownloadedFile, DownloadError>] {
      var all = results
      for failure in failures.sorted(by: { $0.index < $1.index }) {
        all.insert(.failure(failure.error), at: min(failure.index, all.count))
      }
      return all
    }
  }

  /// Adds a file.
  ///
  /// The same URL and target is the same task: one that waits or runs goes on, also if it was paused by itself, one that has
  /// settled begins again, and a file that is there and right is kept. The same key and target with another URL gives the
  /// task that URL.
  ///
  /// - Parameters:
  ///   - request: the file.
  ///   - paused: whether the task is paused by itself until it is resumed.
  /// - Throws: `invalidRequest` or `invalidValue` for what is wrong with the request, `conflict` if it contradicts a task.
  @discardableResult
  public func add(_ request: DownloadRequest, paused: Bool = false) async throws(DownloadError) -> Added {
    let adder = Adder(driver, paused: paused)
    guard let result = try await adder.add([request]).first else { throw SessionDriver.closed }
    let added = try result.get()
    return Added(
      task: DownloadTask(id: DownloadTaskID(added.id), session: self), isExisting: added.isExisting,
      isRestarted: added.isRestarted, kept: added.kept)
  }

  /// Adds several files, in parts. A request that is wrong does not keep the others out.
  ///
  /// Only the iteration runs on the caller's isolation; the requests are checked elsewhere. If the Swift task is cancelled
  /// all are added nevertheless.
  ///
  /// - Parameters:
  ///   - requests: the files. Of two that contradict each other the first is taken.
  ///   - paused: whether the tasks are paused by themselves until they are resumed.
  /// - Throws: `sessionClosed`. What is wrong with a request stands in `AddedList.failures`.
  public nonisolated(nonsending) func add(
    _ requests: some Sequence<DownloadRequest>, paused: Bool = false
  ) async throws(DownloadError) -> AddedList {
    let pin = ListPin(driver)
    let adder = Adder(driver, paused: paused, pin: pin.id)
    var (ids, failures): ([TaskID], [AddedList.Failure]) = ([], [])
    var (part, index) = ([DownloadRequest](), 0)
    func take(_ results: [Result<AddedTask, DownloadError>]) {
      for (request, result) in zip(part, results) {
        switch result {
        case .success(let added): ids.append(added.id)
        case .failure(let error): failures.append(AddedList.Failure(index: index, request: request, error: error))
        }
        index += 1
      }
      part.removeAll(keepingCapacity: true)
    }
    for request in requests {
      part.append(request)
      if part.count == Adder.partCount { take(try await adder.add(part)) }
    }
    if !part.isEmpty { take(try await adder.add(part)) }
    pin.close()
    return AddedList(session: self, ids: ids, pin: pin, failures: failures)
  }
}

/// Checks requests and adds them, a part after the other. One call uses it at a time.
final class Adder: Sendable {
  private let driver: SessionDriver
  private let paused: Bool
  private let pin: Int?
  /// Directories and URLs that were seen in earlier parts.
  private let checker = Lock<RequestChecker?>(nil)

  /// Iterating so many holds nobody up.
  static let partCount = 256

  init(_ driver: SessionDriver, paused: Bool, pin: Int? = nil) {
    self.driver = driver
    self.paused = paused
    self.pin = pin
  }

  /// - Returns: a result for each request, in their order.
  /// - Throws: if the session takes none.
  @concurrent
  func add(_ requests: [DownloadRequest]) async throws(DownloadError) -> [Result<AddedTask, DownloadError>] {
    try await add(check(requests.map { .success($0) }))
  }

  /// Checks requests, without the session.
  func check(
    _ requests: [Result<DownloadRequest, DownloadError>]
  ) throws(DownloadError) -> [Result<CheckedRequest, DownloadError>] {
    let base = try driver.directory.get()
    let names = driver.policy?.names ?? false
    let storage = driver.core.withLock { $0.state.storage }
    var checker = checker.withLock { $0 } ?? RequestChecker(base: base, isNamedByAnswer: names)
    var stored = StoredSettings(DownloadSettings())
    let checked = requests.map { request in
      Result { () throws(DownloadError) in
        var checked = try checker.check(request.get())
        guard let storage else { return checked }
        let (request, isNamed) = (checked.request, checked.file.isNamedByAnswer)
        if stored.settings != request.settings { stored = StoredSettings(request.settings) }
        checked.texts = storage.texts(of: request, isNamedByAnswer: isNamed, stored)
        return checked
      }
    }
    self.checker.withLock { [checker] in $0 = checker }
    return checked
  }

  /// Adds requests that `check` has checked.
  func add(
    _ checked: [Result<CheckedRequest, DownloadError>]
  ) async throws(DownloadError) -> [Result<AddedTask, DownloadError>] {
    try await driver.add(checked, paused: paused, pin: pin) { () async throws(DownloadError) in
      try await driver.add(checked, paused: paused, pin: pin)
    }
  }
}

extension SessionDriver {
  /// - Throws: if the session takes none, or its store cannot take them.
  func add(
    _ checked: [Result<CheckedRequest, DownloadError>], paused: Bool, pin: Int?
  ) async throws(DownloadError) -> [Result<AddedTask, DownloadError>] {
    try await order { core in
      var order = SessionOrder()
      order.isEarly = true
      for entry in checked {
        order.reply.added.append(
          Result { () throws(DownloadError) in
            let addition = try core.state.add(try entry.get(), as: TaskNumbers.next(), paused: paused)
            order.append(addition, in: core.state)
            return addition.added
          })
      }
      if let pin {
        for case .success(let added) in order.reply.added where added.isExisting {
          core.state.history.pin(added.id, by: pin)
        }
      }
      return order
    }.added
  }
}

/// Keeps the tasks of a list from being forgotten.
final class ListPin: Sendable {
  let id: Int
  private let driver: SessionDriver

  init(_ driver: SessionDriver) {
    self.driver = driver
    id = driver.core.withLock { $0.state.history.pin(from: TaskNumbers.next()) }
  }

  /// Nothing more is added.
  func close() { driver.core.withLock { $0.state.history.close(id, at: TaskNumbers.next()) } }

  deinit { driver.change { state, effects in state.release(id, &effects) } }
}
