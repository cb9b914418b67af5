import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

@Suite(.waiting) struct `The runtime that engines share` {
  private let target: TemporaryDirectory

  init() throws { target = try TemporaryDirectory() }

  private func makeEngine(
    _ runtime: Runtime, _ directory: String, _ requests: [FileRequest] = [],
    descriptorLimit: Int = raiseDescriptorLimit()
  ) throws -> Engine {
    mkdir(target.path(directory), 0o755)
    var settings = RunSettings()
    settings.transport.noProxy = "*"
    return Engine(
      settings: settings, place: try DownloadPlace(directory: Array(target.path(directory).utf8)), trustedOrigins: [],
      source: ArraySource(requests), endsWhenIdle: false, descriptorLimit: descriptorLimit, runtime: runtime)
  }

  // MARK: Threads

  @Test func `has one set of threads for all engines, and none some time after the last`() throws {
    let content = Content.text("content")
    let server = try ScriptedServer(FileService(["/f": content]))
    let runtime = Runtime(idleTime: .seconds(1), suspectsDevices: suspectsDevices)
    #expect(runtime.threadCount == 0)
    let count = runtime.hasherCount + 3
    for round in 0..<2 {
      let names = ["a\(round)", "b\(round)"]
      let engines = try names.map { try makeEngine(runtime, $0, [request(0, server.url("/f"), name: "f")]) }
      for engine in engines { try engine.start() }
      #expect(eventually { names.allSatisfy { target.names(in: $0) == ["f"] } })
      #expect(runtime.threadCount == count)
      for engine in engines {
        engine.stop(.finish)
        #expect(engine.join().isWhole && runtime.threadCount == count)
      }
      // The next engine finds them.
      if round == 0 { continue }
      #expect(eventually { runtime.threadCount == 0 })
    }
  }

  @Test func `starts threads again after the last ones have ended`() throws {
    let server = try ScriptedServer(FileService(["/f": .text("content")]))
    let runtime = Runtime(idleTime: .zero, suspectsDevices: suspectsDevices)
    for name in ["a", "b"] {
      let engine = try makeEngine(runtime, name, [request(0, server.url("/f"), name: "f")])
      try engine.start()
      #expect(eventually { target.names(in: name) == ["f"] })
      engine.stop(.finish)
      #expect(engine.join().isWhole && eventually { runtime.threadCount == 0 })
    }
  }

  @Test func `has threads of their own for four devices, which further ones share`() throws {
    let runtime = Runtime(idleTime: .zero, suspectsDevices: suspectsDevices)
    let client = WorkerClient(syncs: false, groupLimit: 1)
    #expect(runtime.join(client, EngineInbox(), device: 1)?.count == runtime.hasherCount)
    let stores = (1...4).map { runtime.store(of: $0) }
    #expect(Set(stores.map(ObjectIdentifier.init)).count == 4 && runtime.threadCount == runtime.hasherCount + 12)
    for device: UInt64 in 5...8 {
      let store = runtime.store(of: device)
      #expect(stores.contains { $0 === store } && runtime.store(of: device) === store)
    }
    #expect(runtime.threadCount == runtime.hasherCount + 12 && runtime.store(of: 2) === stores[1])
    runtime.leave(client)
    #expect(eventually { runtime.threadCount == 0 })
  }

  @Test(.disabled(if: isThreadSanitized, "ThreadSanitizer needs address space"))
  func `lets a device share threads where the system has no more`() async {
    // Without address space there are no stacks.
    await #expect(processExitsWith: .success) {
      let runtime = Runtime(idleTime: .zero, suspectsDevices: suspectsDevices)
      let clients = (0..<2).map { _ in WorkerClient(syncs: false, groupLimit: 1) }
      let (inbox, other) = (EngineInbox(), Runtime(idleTime: .zero, suspectsDevices: suspectsDevices))
      guard runtime.join(clients[0], inbox, device: 1) != nil else {
        Issue.record("no threads")
        return
      }
      // What is allocated meanwhile finds room on the heap, which the last block keeps from shrinking.
      let blocks = (0..<512).map { _ in malloc(64 << 10) }
      for block in blocks.dropLast() { free(block) }
      // The main thread's stack may still grow. A MiB is too little for another stack.
      let pages = String(decoding: try readFile("/proc/self/statm"), as: UTF8.self).prefix { $0 != " " }
      let used = try #require(rlim_t(pages)) * rlim_t(getpagesize())
      var limit = rlimit(rlim_cur: used + (1 << 20), rlim_max: rlim_t.max)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      let isShared = runtime.store(of: 2) === runtime.store(of: 1)
      let hasThreads = other.join(clients[1], inbox, device: 1) != nil
      limit.rlim_cur = rlim_t.max
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      blocks.last.map { free($0) }
      if !isShared || hasThreads || other.share(of: 100) != 100 { Issue.record("\(isShared) \(hasThreads)") }
    }
  }

  // MARK: Engines side by side

  @Test func `lets one engine hash, download and end whatever another one does`() throws {
    let giant = open(target.path("giant"), O_RDWR | O_CREAT, 0o644)
    ftruncate(giant, 16 << 30)
    close(giant)
    mkdir(target.path("a"), 0o755)
    rename(target.path("giant"), target.path("a/giant"))
    let content = Content.generated(seed: 6, byteCount: 3_000_000)
    let server = try ScriptedServer(FileService(["/f": content, "/s": .text("small")]))
    let runtime = Runtime(idleTime: .zero, suspectsDevices: suspectsDevices)
    let wrong = try digest(.text("other"))
    let hashing = try makeEngine(
      runtime, "a", [request(0, server.url("/giant"), name: "giant", digests: [wrong])])
    try hashing.start()
    func download(_ directory: String) throws {
      let engine = try makeEngine(
        runtime, directory,
        [
          request(0, server.url("/f"), name: "f", digests: [digest(content)]),
          request(1, server.url("/s"), name: "s", digests: [digest(.text("small"))]),
        ])
      try engine.start()
      #expect(eventually { target.names(in: directory) == ["f", "s"] })
      engine.stop(.finish)
      #expect(engine.join().isWhole)
    }
    // While the giant is hashed.
    try download("b")
    #expect(target.names(in: "a") == ["giant"])
    let other = try makeEngine(runtime, "c")
    try other.start()
    hashing.stop(.now)
    var entry = pollfd(fd: try #require(hashing.endDescriptor), events: Int16(POLLIN), revents: 0)
    // The promise is one second; a busy machine gets more.
    #expect(poll(&entry, 1, 10_000) == 1 && hashing.join().wasStopped)
    #expect(ask(other, .add(try request(2, server.url("/f"), name: "f", digests: [digest(content)]))) == .done)
    #expect(eventually { target.names(in: "c") == ["f"] })
    other.stop(.finish)
    #expect(other.join().isWhole && eventually { runtime.threadCount == 0 })
  }

  // MARK: Descriptors

  @Test func `divides the descriptors among the engines`() {
    let runtime = Runtime(idleTime: .zero, suspectsDevices: suspectsDevices)
    let clients = (0..<3).map { _ in WorkerClient(syncs: false, groupLimit: 1) }
    let inboxes = clients.map { _ in EngineInbox() }
    #expect(runtime.share(of: 900) == 900)
    for index in clients.indices {
      _ = runtime.join(clients[index], inboxes[index], device: 1)
      #expect(runtime.share(of: 900) == 900 / (index + 1))
      #expect(inboxes.map { isReadable($0.descriptor) } == clients.indices.map { $0 < index })
      for inbox in inboxes { _ = inbox.takeOrders() }
    }
    for index in clients.indices {
      runtime.leave(clients[index])
      // Once is enough.
      runtime.leave(clients[index])
      #expect(runtime.share(of: 900) == 900 / max(1, 2 - index))
      #expect(inboxes.map { isReadable($0.descriptor) } == clients.indices.map { $0 > index })
      for inbox in inboxes { _ = inbox.takeOrders() }
    }
    #expect(eventually { runtime.threadCount == 0 })
  }

  @Test func `has an engine do less at once while another one needs descriptors`() throws {
    let content = Content.generated(seed: 7, byteCount: 3_000_000)
    let names = (0..<20).map { "\($0)" }
    let server = try ScriptedServer(
      FileService(Dictionary(uniqueKeysWithValues: names.map { ("/" + $0, content) } + [("/s", .text("small"))])) {
        $0.bytesPerSecondOfConnection = 5000
      })
    let requests = try names.map { try request(Int($0)!, server.url("/" + $0), name: $0) }
    let runtime = Runtime(idleTime: .zero, suspectsDevices: suspectsDevices)
    let engine = try makeEngine(runtime, "a", requests, descriptorLimit: 64)
    try engine.start()
    func activeCount() -> Int {
      guard case .descriptions(let all)? = ask(engine, .describe(.all)) else { return -1 }
      return all.count { if case .active = $0.activity { true } else { false } }
    }
    let alone = RunSettings.mostFiles(descriptorLimit: 64)
    #expect(eventually { activeCount() == alone })
    let other = try makeEngine(runtime, "b", [request(0, server.url("/s"), name: "s")])
    try other.start()
    // An engine that is stopped before it has read its list has not finished.
    #expect(eventually { target.names(in: "b") == ["s"] })
    #expect(eventually { activeCount() == RunSettings.mostFiles(descriptorLimit: 32) })
    other.stop(.finish)
    #expect(other.join().isWhole)
    if !eventually({ activeCount() == alone }) {
      Issue.record("\(activeCount()) of \(alone): \(String(describing: ask(engine, .describe(.all))).suffix(8000))")
    }
    engine.stop(.now)
    #expect(engine.join().wasStopped)
  }
}

/// Threads that have jobs of several engines.
@Suite(.waiting) struct `A worker of several engines` {
  private let workers: WorkerRig
  private let others: WorkerClient

  init() throws {
    workers = try WorkerRig()
    others = WorkerClient(syncs: true, groupLimit: 768)
  }

  private func hasPassed(_ fence: WorkerFence) -> Bool { isReadable(fence.descriptor) }

  @Test func `hashes for one while the file of another takes long`() throws {
    let handle: ItemHandle = 1
    try workers.scratch.write("giant", "")
    try workers.scratch.write("there", "abc")
    #expect(truncate(workers.scratch.path("giant"), 16 << 30) == 0)
    let expected = [ExpectedDigest(try digest(.text("abc")), .given)]
    let hasher = workers.hasher
    let other = WorkerPort(hasher.messages, others)
    let fences = (0..<2).map { _ in WorkerFence(1) }
    startThread { hasher.run() }
    workers.hashing.post(.existing(handle, try workers.place("giant"), expected: expected, FileAttributes()))
    // The handles of an engine are its own.
    other.post(.existing(handle, try workers.place("there"), expected: expected, FileAttributes()))
    other.post(fences[0])
    #expect(eventually { hasPassed(fences[0]) })
    guard case .existingRight(handle, .some, byteCount: 3, _)? = others.replies.takeAll().first else {
      Issue.record("no answer")
      return
    }
    workers.hashing.post(fences[1])
    pause(seconds: 0.05)
    #expect(!hasPassed(fences[1]), "the giant is not done")
    workers.client.isHashingStopped.set()
    #expect(eventually { hasPassed(fences[1]) } && workers.replies.takeAll().isEmpty)
    hasher.messages.post(.end)
  }

  @Test func `forgets the item of one engine only`() throws {
    let handle: ItemHandle = 1
    let part = try workers.part("f", .text("abc"))
    let other = WorkerPort(workers.hasher.messages, others)
    for worker in [workers.hashing, other] { worker.post(.follow(handle, part, [.sha256])) }
    other.post(.forget(handle))
    for worker in [workers.hashing, other] { worker.post(.finish(handle, completeLength: 3)) }
    let replies = workers.hash()
    guard case .hashed(handle, [try digest(.text("abc"))])? = replies.first, replies.count == 1 else {
      Issue.record("\(replies)")
      return
    }
    #expect(others.replies.takeAll().isEmpty)
  }

  @Test func `names the small files of one engine as a group of its own`() throws {
    let other = WorkerPort(workers.storage.messages, others)
    let fences = (0..<2).map { _ in WorkerFence(1) }
    for (index, worker) in [workers.storing, other, workers.storing, other].enumerated() {
      worker.post(.name([(ItemHandle(index), try staged("f\(index)"))]))
    }
    other.post(fences[0])
    workers.storing.post(fences[1])
    let replies = workers.store()
    #expect(published(replies) == [0, 2] && published(others.replies.takeAll()) == [1, 3])
    #expect(fences.allSatisfy(hasPassed) && workers.scratch.names() == ["f0", "f1", "f2", "f3"])
  }

  @Test func `does nothing more for an engine that has gone`() throws {
    let other = WorkerPort(workers.storage.messages, others)
    let fence = WorkerFence(2)
    other.post(.name([(ItemHandle(0), try staged("gone"))]))
    workers.storing.post(.name([(ItemHandle(1), try staged("f"))]))
    let sidecar = try SidecarFile.open(workers.place("g"))
    let part = try workers.part("g", .text("abc"))
    other.post(
      .publish(
        2, part, sidecar, byteCount: 3, PublishOrder(), syncs: true))
    other.post(fence)
    let hashing = WorkerPort(workers.hasher.messages, others)
    hashing.post(.follow(2, part, [.sha256]))
    hashing.post(.finish(2, completeLength: 3))
    hashing.post(fence)
    others.isGone.set()
    #expect(workers.hash().isEmpty && published(workers.store()) == [1])
    #expect(hasPassed(fence) && others.replies.takeAll().isEmpty)
    #expect(workers.scratch.names() == ["f", "g.swiftget", "g.swiftget-part"])
  }

  private func staged(_ name: String) throws -> StagedFile {
    try workers.client.publisher.stage(
      SmallFile(place: workers.place(name), body: FilledBlock(copying: name.utf8)), syncs: true)
  }

  private func published(_ replies: [WorkerReply]) -> [Int] {
    replies.compactMap { if case .published(let item, _, .success) = $0 { item.number } else { nil } }
  }
}
